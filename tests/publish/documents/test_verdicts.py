"""The verdicts that are kept beside the gallery."""

from attnsvm.pipeline import cards
from attnsvm.publish.documents.docs import verdicts

WRITTEN = "figure,key,verdict\n"


def test_verdicts_of_built_audits_are_kept_and_others_keep_their_lines(tmp_path):
    """Of the audit of every run and of an optional figure; a claim that is gone loses its line."""
    built, kept = tmp_path / "audit", tmp_path / "verdicts.csv"
    built.mkdir()
    optional = next(card for card in cards.optional() if "claims" in card.modules)
    own = optional.claims[0].key
    kept.write_text(f"key,verdict\nW_to_frobenius,holds\nadam_sign,holds\nof_old,fails\n{own},fails\n")
    (built / "claims.csv").write_text(f"{WRITTEN}adam,adam_sign,holds in part\n")
    verdicts(built, kept, anew=False)
    assert "adam_sign,holds\n" in kept.read_text(), "a line that is there stays"
    verdicts(built, kept, anew=True)
    assert kept.read_text() == "key,verdict\n" + "".join(
        sorted(["W_to_frobenius,holds\n", "adam_sign,holds in part\n", f"{own},fails\n"])
    )
    (built / f"{optional.name}.csv").write_text(f"{WRITTEN}{optional.name},{own},holds\n")
    verdicts(built, kept, anew=True)
    assert f"{own},holds\n" in kept.read_text()
