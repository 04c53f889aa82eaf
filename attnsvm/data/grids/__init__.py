"""Problems of the usual kinds: a card says `problems: NAME` where its experiment has those of the module NAME."""
