package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.SecretHash;
import io.sluice.rules.pattern.Glob;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathPattern.Any;
import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Rest;
import io.sluice.rules.pattern.PathPattern.Segment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key that can be looked up in a {@link Fork}: one of the values that a constraint allows for an attribute. Keys with the same
 * meaning are equal. Each key stores its hash, which is needed often while an index is built, and has its own {@code equals}: the
 * generated methods of records are slow until they have run very often.
 */
sealed interface LookupKey {

    /** Returns a value that this key matches. It shows the other keys that are found together with this key. */
    String sample();

    /** The values that equal this text. */
    record Text(String text, int hash) implements LookupKey {

        Text(String text) {
            this(text, SecretHash.code(text));
        }

        @Override
        public String sample() {
            return text;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Text same && hash == same.hash && text.equals(same.text);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** The texts that a pattern matches. */
    record Wild(Glob glob, int hash) implements LookupKey {

        Wild(Glob glob) {
            this(glob, SecretHash.code(glob.isOneStar() ? glob.prefix() + glob.suffix() : glob.toString()));
        }

        @Override
        public String sample() {
            return glob.prefix() + glob.suffix();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Wild wild && (glob.equals(wild.glob) || isSameStar(wild.glob));
        }

        @Override
        public int hashCode() {
            return hash;
        }

        private boolean isSameStar(Glob other) {
            return glob.isOneStar()
                    && other.isOneStar()
                    && glob.prefix().equals(other.prefix())
                    && glob.suffix().equals(other.suffix());
        }
    }

    /** The addresses of a block. */
    record Block(Network network, int hash) implements LookupKey {

        Block(Network network) {
            this(network, SecretHash.code(network.toString()));
        }

        @Override
        public String sample() {
            String text = network.toString();
            return text.substring(0, text.indexOf('/'));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Block same && hash == same.hash && network.equals(same.network);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** The paths with this segment. */
    record SegmentAt(int depth, String name, int hash) implements LookupKey {

        SegmentAt(int depth, String name) {
            this(depth, name, SecretHash.code(name) + depth);
        }

        @Override
        public String sample() {
            return name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof SegmentAt same
                    && hash == same.hash
                    && depth == same.depth
                    && name.equals(same.name);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /**
     * The paths of a pattern, with any names of its segments.
     *
     * @param open whether any rest may follow, which is not part of the sample
     */
    record Route(List<Segment> segments, String sample, boolean open, int hash) implements LookupKey {

        /** The sample of a segment with any name. No literal segment contains a blank, because patterns must not. */
        private static final String SOME = " ";

        private static final int USUAL_LENGTH = 64;

        static Route of(List<Segment> segments) {
            StringBuilder path = new StringBuilder(USUAL_LENGTH);
            for (int i = 0; i < segments.size(); i++) {
                Segment segment = segments.get(i);
                if (segment instanceof Exact exact) {
                    path.append('/').append(exact.name());
                } else if (segment instanceof Any) {
                    path.append('/').append(SOME);
                }
            }
            String sample = path.toString();
            boolean open = !segments.isEmpty() && segments.get(segments.size() - 1) instanceof Rest;
            return new Route(segments, sample, open, SecretHash.code(sample));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Route same && hash == same.hash && open == same.open && sample.equals(same.sample);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        /** Returns whether the pattern matches a single path: the sample. */
        boolean isOne() {
            for (Segment segment : segments) {
                if (!(segment instanceof Exact)) {
                    return false;
                }
            }
            return true;
        }
    }
}
