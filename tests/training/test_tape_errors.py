"""What the tape says of models that it does not take."""

import numpy as np
import pytest

from attnsvm.training.tape import attention, layers, losses, node
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

S = 7


def of_shape(*shape):
    return Node(np.ones((S, *shape)), weight=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: of_shape(3, 4) @ of_shape(5, 2), r"matmul: .*\(3, 4\) and \(5, 2\)"),
        (lambda: of_shape(3, 4) @ of_shape(3), r"matmul: .*\(3, 4\) and \(3,\)"),
        (lambda: of_shape(2, 3, 4) @ of_shape(3, 4, 5), r"matmul: .*\(2, 3, 4\) and \(3, 4, 5\)"),
        (lambda: of_shape() @ of_shape(3), r"matmul: .*\(\) and \(3,\)"),
        (lambda: of_shape(3, 4) + of_shape(3), r"add: .*\(3, 4\) and \(3,\)"),
        (lambda: of_shape(3, 4) * of_shape(2, 4), r"multiply: .*\(3, 4\) and \(2, 4\)"),
        (lambda: attention.compare(of_shape(2, 4), of_shape(3, 5)), r"compare: .*\(2, 4\) and \(3, 5\)"),
        (lambda: node.reshaped(of_shape(3, 4), 5), r"reshaped: .*\(3, 4\) as \(5,\)"),
        (lambda: node.concatenated([of_shape(3, 4), of_shape(3, 4)], 0), "axis: expected a negative number"),
        (lambda: node.concatenated([of_shape(3, 4), of_shape(2, 4)]), r"concatenated: .*\(3, 4\), \(2, 4\)"),
        (lambda: layers.rotated(of_shape(3, 5), np.arange(3)), "a: expected an even number of entries"),
        (lambda: layers.rotated(of_shape(3, 4), np.arange(2)), r"positions: expected \(3,\), one for each row"),
        (lambda: losses.logistic(np.ones((S, 3)), of_shape(3)), r"labels: .*\(3,\), got \(7, 3\)"),
        (lambda: losses.squared(np.ones(2), of_shape(3)), r"targets: .*\(3,\), got \(2,\)"),
        (lambda: losses.cross_entropy(np.zeros(2), of_shape(3, 4)), r"targets: .*\(3,\), got \(2,\)"),
        (lambda: losses.cross_entropy(np.array([0, 4, 1]), of_shape(3, 4)), "targets: expected numbers from 0 to 3"),
        (lambda: losses.negative_log(of_shape(3)), "expected probabilities from a softmax"),
        (lambda: attention.entropy(of_shape(3)), "expected probabilities from a softmax"),
        (lambda: attention.probability(of_shape(3), np.ones(3)), "expected probabilities from a softmax"),
        (lambda: attention.softmax(of_shape(2, 3), np.ones((3, 3))), r"mask: .*\(2, 3\), got \(3, 3\)"),
        (lambda: attention.softmax(of_shape(2, 3), np.array([[1, 0, 0], [0, 0, 0]])), "mask: expected at least one"),
        (lambda: losses.weighted(of_shape(3), np.zeros(S)), r"loss: expected one number for each instance.*\(3,\)"),
    ],
)
def test_shapes_are_named_as_they_are_in_one_instance(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_a_loss_is_one_number():
    weight = of_shape(3, 4)
    with pytest.raises(ValueError, match=r"loss: expected one number for each instance, got .*\(3, 4\)"):
        gradient(weight * 2.0, {"weight": weight})


def test_a_loss_depends_on_every_weight():
    used, unused, other = of_shape(3, 4), of_shape(2), of_shape()
    with pytest.raises(ValueError, match=r"weights: the loss does not depend on b, c$"):
        gradient(node.mean(used), {"a": used, "b": unused, "c": other})
    with pytest.raises(ValueError, match=r"weights: the loss does not depend on a$"):
        gradient(node.mean(Node(np.ones((S, 3)))), {"a": used})
