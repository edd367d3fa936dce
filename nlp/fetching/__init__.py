"""Papers asked for over the network: a polite client, and for each service the pages that it answers with."""
