package io.sluice.core.spi;

import java.util.AbstractList;
import java.util.RandomAccess;

/**
 * Verdicts that the engine computes when they are read, because most callers only need to know whether they may proceed. A
 * subclass is immutable: it always computes the same verdicts.
 */
public abstract class LazyVerdicts extends AbstractList<Verdict> implements RandomAccess {}
