"""Make attnsvm/data/reactions.csv.xz: reactions of which it is known where each atom of the product comes from.

python benchmarks/reactions.py FILE

Needs RDKit (BSD 3-Clause), which attnsvm does not: the file is made once and shipped. The molecules are put together
here, from groups and substituents; nothing is taken from a collection of reactions. Groups fall into three classes,
and all molecules with a substituent are of one class in each reaction, so that molecules can be held out.

Where a mechanism is a matter of convention it is the textbook's: esters of acids keep the oxygen of the alcohol, the
hydrolysis of an ester takes that of the water, a phenol keeps its own. Atoms that a symmetry of the reactants or of the
product exchanges are right answers all of them.
"""

import sys
from itertools import product

import numpy as np
import pandas as pd
from rdkit import Chem
from rdkit.Chem import rdChemReactions
from rdkit.RDLogger import DisableLog

CLASSES, EACH = 3, 10  # reactions of each template and class
ARYL = [
    "Cc1ccc({})cc1", "COc1ccc({})cc1", "Fc1ccc({})cc1", "Clc1ccc({})cc1", "N#Cc1ccc({})cc1", "c1ccc({})cc1",
    "Cc1cccc({})c1", "COc1cccc({})c1", "Fc1cccc({})c1", "FC(F)(F)c1ccc({})cc1", "FC(F)(F)c1cccc({})c1",
    "c1ccc(-c2ccc({})cc2)cc1", "c1ccc2cc({})ccc2c1", "c1ccc2c({})cccc2c1", "Cc1ccc({})c(C)c1", "COc1ccc({})c(F)c1",
    "c1ccnc({})c1", "c1cncc({})c1", "Cc1ccc({})nc1", "c1csc({})c1", "c1coc({})c1", "Cc1csc({})n1", "Cn1cc({})cn1",
    "c1ccc2oc({})cc2c1", "c1ccc2sc({})cc2c1", "CC(C)c1ccc({})cc1", "CC(C)(C)c1ccc({})cc1", "COc1cc({})ccc1C",
    "Clc1cccc({})c1F", "FC(F)(F)Oc1ccc({})cc1",
]  # fmt: skip
ALKYL = [
    "CC{}", "CCC{}", "CCCC{}", "CC(C)C{}", "CC(C)CC{}", "CCCCCC{}", "C1CC1C{}", "C1CCC1C{}", "C1CCCCC1C{}",
    "C1CCOCC1C{}", "C1CCOC1C{}", "c1ccccc1C{}", "c1ccccc1CC{}", "Fc1ccc(C{})cc1", "COc1ccc(C{})cc1",
    "Clc1cccc(C{})c1", "COCC{}", "CCOCC{}", "COCCC{}", "N#CCCC{}", "FC(F)(F)CC{}", "CSCC{}", "c1ccsc1C{}",
    "c1ccoc1C{}", "c1ccc(OCC{})cc1", "Cc1ccc(CC{})cc1", "CC1CCC(C{})CC1", "C1CCCC1CC{}", "FC(F)CC{}", "CC(C)(C)CC{}",
]  # fmt: skip
# name: (template, reactants: a group after the kind of its substituent, A or L, or a whole molecule)
TEMPLATES = {
    "amide": ("[C:1](=[O:2])[OX2H].[NH2:3]>>[C:1](=[O:2])[N:3]", "A C(=O)O", "L N"),
    "anilide": ("[C:1](=[O:2])Cl.[NH2:3]>>[C:1](=[O:2])[N:3]", "L C(=O)Cl", "A N"),
    "Weinreb amide": ("[C:1](=[O:2])[OX2H].[NH:3]>>[C:1](=[O:2])[N:3]", "A C(=O)O", "CNOC"),
    "ester": ("[C:1](=[O:2])[OX2H].[CH2:4][OX2H:3]>>[C:1](=[O:2])[O:3][C:4]", "A C(=O)O", "L O"),
    "aryl ester": ("[C:1](=[O:2])Cl.[c:4][OX2H:3]>>[C:1](=[O:2])[O:3][c:4]", "L C(=O)Cl", "A O"),
    "ester hydrolysis": ("[C:1](=[O:2])O[CH3].[OH2:3]>>[C:1](=[O:2])[O:3]", "A C(=O)OC", "O"),
    "nitrile hydration": ("[C:1]#[N:2].[OH2:3]>>[C:1](=[O:3])[N:2]", "L C#N", "O"),
    "Suzuki": ("[c:1]Br.[c:2]B(O)O>>[c:1][c:2]", "A Br", "A B(O)O"),
    "Sonogashira": ("[c:1]Br.[CH:2]#[C:3]>>[c:1][C:2]#[C:3]", "A Br", "A C#C"),
    "Heck": ("[c:1]Br.[CH2:2]=[CH:3]>>[c:1]/[C:2]=[C:3]", "A Br", "C=CC(=O)OC"),
    "Negishi": ("[c:1]Br.[C:2][Zn]>>[c:1][C:2]", "A Br", "L [Zn]Br"),
    "Buchwald": ("[c:1]Br.[NH2:2]>>[c:1][N:2]", "A Br", "L N"),
    "Chan-Lam": ("[c:1]B(O)O.[OX2H:2][c:3]>>[c:1][O:2][c:3]", "A B(O)O", "A O"),
    "aryl ether": ("[CH2:1]Br.[c:3][OX2H:2]>>[C:1][O:2][c:3]", "L Br", "A O"),
    "Mitsunobu": ("[CH2:1][OX2H].[c:3][OX2H:2]>>[C:1][O:2][c:3]", "L O", "A O"),
    "thioether": ("[CH2:1]Br.[c:3][SX2H:2]>>[C:1][S:2][c:3]", "L Br", "A S"),
    "N-alkylation": ("[CH2:1]Br.[NH:2]>>[C:1][N:2]", "L Br", "C1COCCN1"),
    "reductive amination": ("[CH:1]=O.[NH2:2]>>[C:1][N:2]", "A C=O", "L N"),
    "amination of ketone": ("[C:1](=O)[CH3:3].[NH2:2]>>[C:1]([C:3])[N:2]", "A C(C)=O", "L N"),
    "hydrazone": ("[CH:1]=O.[NH2:2]>>[C:1]=[N:2]", "A C=O", "A NN"),
    "oxime": ("[C:1](=O)[CH3:3].[NH2:2][OH:4]>>[C:1]([C:3])=[N:2][O:4]", "A C(C)=O", "NO"),
    "sulfonamide": ("[S:1](=[O:2])(=[O:3])Cl.[NH2:4]>>[S:1](=[O:2])(=[O:3])[N:4]", "A S(=O)(=O)Cl", "L N"),
    "mesylate": ("[S:1](=[O:2])(=[O:3])Cl.[CH2:5][OX2H:4]>>[S:1](=[O:2])(=[O:3])[O:4][C:5]", "CS(=O)(=O)Cl", "L O"),
    "urea": ("[N:1]=[C:2]=[O:3].[NH2:4]>>[N:1][C:2](=[O:3])[N:4]", "A N=C=O", "L N"),
    "thiourea": ("[N:1]=[C:2]=[S:3].[NH2:4]>>[N:1][C:2](=[S:3])[N:4]", "A N=C=S", "L N"),
    "carbamate": ("[N:1]=[C:2]=[O:3].[CH2:5][OX2H:4]>>[N:1][C:2](=[O:3])[O:4][C:5]", "A N=C=O", "L O"),
    "Boc protection": ("O=C(OC(C)(C)C)[O:2][C:1](=[O:3])[O:5].[NH2:4]>>[C:1](=[O:3])([O:5])[N:4]",
                       "CC(C)(C)OC(=O)OC(=O)OC(C)(C)C", "L N"),
    "Boc removal": ("[NH:1]C(=O)OC(C)(C)C>>[N:1]", "A NC(=O)OC(C)(C)C"),
    "acetylation": ("[C:1](=[O:2])OC(C)=O.[NH2:3]>>[C:1](=[O:2])[N:3]", "CC(=O)OC(C)=O", "A N"),
    "silyl ether": ("[Si:1]Cl.[CH2:3][OX2H:2]>>[Si:1][O:2][C:3]", "CC(C)(C)[Si](C)(C)Cl", "L O"),
    "azide and alkyne": ("[N:1]=[N+:2]=[N-:3].[CH:4]#[C:5]>>[n:1]1[n+0:2][n+0:3][c:5][c:4]1", "L N=[N+]=[N-]", "A C#C"),
    "thiazole": ("[C:1](=O)[CH2:2]Br.[NH2:3][C:4]=[S:5]>>[c:1]1[c:2][s:5][c:4][n:3]1", "A C(=O)CBr", "L C(N)=S"),
    "epoxide opening": ("[CH2:1]1[CH:2][O:3]1.[NH2:4]>>[N:4][C:1][C:2][O:3]", "L C1CO1", "A N"),
    "aza-Michael": ("[CH2:1]=[CH:2].[NH2:3]>>[N:3][C:1][C:2]", "C=CC(=O)OCC", "L N"),
    "Horner-Wadsworth-Emmons": ("[CH:1]=O.[CH2:2]P>>[C:1]=[C:2]", "A C=O", "CCOC(=O)CP(=O)(OCC)OCC"),
    "Knoevenagel": ("[CH:1]=O.[CH2:2]([C:4]#[N:5])[C:3]>>[C:1]=[C:2]([C:4]#[N:5])[C:3]", "A C=O", "N#CCC(=O)OCC"),
    "Grignard": ("[CH:1]=[O:2].[C:3][Mg]>>[C:1]([O:2])[C:3]", "A C=O", "L [Mg]Br"),
    "nitro reduction": ("[c:1][N+:2](=O)[O-]>>[c:1][N+0:2]", "A [N+](=O)[O-]"),
    "bromination": ("[C:1](=[O:2])[CH3:3].[Br:4]N>>[C:1](=[O:2])[C:3][Br:4]", "A C(C)=O", "O=C1CCC(=O)N1Br"),
}  # fmt: skip


def groups(rng):
    """{kind: a list of groups for every class}."""
    kinds = {"A": rng.permutation(ARYL), "L": rng.permutation(ALKYL)}
    return {kind: [some[k::CLASSES] for k in range(CLASSES)] for kind, some in kinds.items()}


def molecules(reactant, kinds, number):
    """The SMILES that a reactant may be in a class."""
    kind, _, group = reactant.partition(" ")
    return [str(one).format(group) for one in kinds[kind][number]] if group else [reactant]


def mapped(smarts, smiles):
    """(reaction SMILES, right answers) of one reaction; None where it takes place in several ways, or in none."""
    reactants = [Chem.MolFromSmiles(one) for one in smiles]
    outcomes = {}
    for (made,) in rdChemReactions.ReactionFromSmarts(smarts).RunReactants(reactants):
        Chem.SanitizeMol(made)
        outcomes.setdefault(Chem.MolToSmiles(made), made)
    if len(outcomes) != 1:
        return None
    ((text, made),) = outcomes.items()
    order = sorted(range(len(reactants)), key=lambda k: Chem.MolToSmiles(reactants[k]))
    left = ".".join(Chem.MolToSmiles(reactants[k]) for k in order)
    whole = Chem.MolFromSmiles(left)  # its atoms are numbered as they are written
    start = dict(zip(order, np.cumsum([0, *(reactants[k].GetNumAtoms() for k in order)]), strict=False))
    place = {
        (k, atom): start[k] + n for k in order for n, atom in enumerate(written(reactants[k]))
    }  # of an atom of a reactant among all that are written
    source = [place[(a.GetIntProp("react_idx"), a.GetIntProp("react_atom_idx"))] for a in made.GetAtoms()]
    alike_left, alike = symmetry(whole), symmetry(made)
    answers = []
    for atom in written(made):
        classes = {alike_left[source[other]] for other in range(len(alike)) if alike[other] == alike[atom]}
        answers.append("/".join(str(n) for n, one in enumerate(alike_left) if one in classes))
    return f"{left}>>{text}", " ".join(answers)


def written(molecule):
    """The atoms of a molecule in the order of its SMILES."""
    Chem.MolToSmiles(molecule)
    return list(molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"])


def symmetry(molecule):
    return list(Chem.CanonicalRankAtoms(molecule, breakTies=False))


def rows():
    rng = np.random.default_rng(27)
    kinds = groups(rng)
    for name, (smarts, *reactants) in TEMPLATES.items():
        for number in range(CLASSES):
            every = list(product(*(molecules(one, kinds, number) for one in reactants)))
            found = []
            for k in rng.permutation(len(every)):
                one = mapped(smarts, every[k]) if len(found) < EACH else None
                found += [one] if one else []
            yield from ({"template": name, "molecules": number, "reaction": r, "answers": a} for r, a in found)


if __name__ == "__main__":
    DisableLog("rdApp.*")  # leaving groups are not mapped
    table = pd.DataFrame(rows())
    table.to_csv(sys.argv[1], index=False)
    print(table.groupby("template", sort=False).size().to_string(), len(table))
