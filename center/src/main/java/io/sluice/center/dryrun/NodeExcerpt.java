package io.sluice.center.dryrun;

import io.sluice.runtime.recording.ExcerptHead;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

/**
 * The recorded requests of a node. The content is untrusted: it may not be an excerpt, or may decompress to more than fits in memory. It is
 * decompressed while it is read, up to a bound. Immutable.
 */
final class NodeExcerpt {

    /** The maximum number of bytes that are read of an excerpt after decompression. Nodes send some 300 bytes for a request. */
    static final long MOST_BYTES = 192L << 20;

    private static final int BUFFER = 1 << 16;

    private final String node;
    private final ExcerptHead head;
    private final byte[] content;

    private NodeExcerpt(String node, ExcerptHead head, byte[] content) {
        this.node = node;
        this.head = head;
        this.content = content;
    }

    /**
     * Reads the head.
     *
     * @throws IOException if the answer is not an excerpt
     */
    static NodeExcerpt of(ExcerptQuestions.Answer answer) throws IOException {
        try (InputStream in = decompressed(answer.excerpt())) {
            ExcerptHead head = ExcerptHead.parse(line(in));
            requireRequest(in);
            return new NodeExcerpt(answer.node(), head, answer.excerpt());
        } catch (IllegalArgumentException e) {
            throw new IOException("no excerpt of a recording", e);
        }
    }

    /** Returns the name of the node that people see. */
    String node() {
        return node;
    }

    ExcerptHead head() {
        return head;
    }

    /** Returns the requests, one JSON object per line. The stream fails after {@link #MOST_BYTES}. */
    InputStream requests() throws IOException {
        InputStream in = decompressed(content);
        String unused = line(in);
        return in;
    }

    private static InputStream decompressed(byte[] content) throws IOException {
        return new BufferedInputStream(
                new Bounded(new GZIPInputStream(new ByteArrayInputStream(content), BUFFER)), BUFFER);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.size() > ExcerptHead.LONGEST) {
                throw new IOException("no excerpt of a recording");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /**
     * Requires that the first request is plain JSON. The log reader decompresses content that looks compressed, and this second
     * decompression would have no bound.
     */
    private static void requireRequest(InputStream in) throws IOException {
        int first = in.read();
        if (first >= 0 && first != '{') {
            throw new IOException("no excerpt of a recording");
        }
    }

    /** Fails after {@link #MOST_BYTES}. */
    private static final class Bounded extends FilterInputStream {

        private long left = MOST_BYTES;

        Bounded(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int next = in.read();
            take(next < 0 ? 0 : 1);
            return next;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int count = in.read(into, from, length);
            take(count);
            return count;
        }

        private void take(int count) throws IOException {
            left -= Math.max(0, count);
            if (left < 0) {
                throw new IOException("more than " + MOST_BYTES + " bytes");
            }
        }
    }
}
