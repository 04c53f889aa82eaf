"""What does not come with this package: the model of reactions that `known_answers` reads too."""

from attnsvm.experiments.real.known_answers.outside import of_a_figure


def files(settings):
    return of_a_figure("corrections", settings)
