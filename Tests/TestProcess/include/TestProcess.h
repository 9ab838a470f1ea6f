// Nothing to call: that this is linked is enough.
