package io.sluice.runtime.recording;

import java.io.IOException;

/** A source of recorded requests. */
@FunctionalInterface
public interface ExcerptSource {

    /** Returns an excerpt, compressed with gzip: an {@link ExcerptHead}, then one request per line. May take seconds. */
    byte[] excerpt(ExcerptQuestion question) throws IOException;
}
