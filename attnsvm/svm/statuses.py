"""What the checker may say of an SVM answer, see `svm.Status`."""

STATUSES = ("solved", "infeasible", "remote", "uncertified")
