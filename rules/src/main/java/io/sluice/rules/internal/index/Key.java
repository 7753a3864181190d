package io.sluice.rules.internal.index;

import io.sluice.rules.Glob;
import io.sluice.rules.Network;
import io.sluice.rules.PathPattern.Any;
import io.sluice.rules.PathPattern.Exact;
import io.sluice.rules.PathPattern.Segment;
import java.util.List;

/**
 * What can be looked up in a {@link Fork}: one of the values that a constraint allows an attribute to have. Keys that mean the
 * same are equal.
 */
sealed interface Key {

    /** A value that this key is found by, so that it can be seen which others are found with it. */
    String sample();

    /** Just this text. */
    record Text(String text) implements Key {
        @Override
        public String sample() {
            return text;
        }

        @Override
        public int hashCode() {
            return SecretHash.code(text);
        }
    }

    /** What a pattern matches. */
    record Wild(Glob glob) implements Key {
        @Override
        public String sample() {
            return glob.prefix() + glob.suffix();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Wild wild && (glob.equals(wild.glob) || isSameStar(wild.glob));
        }

        @Override
        public int hashCode() {
            return SecretHash.code(glob.isOneStar() ? sample() : glob.toString());
        }

        private boolean isSameStar(Glob other) {
            return glob.isOneStar()
                    && other.isOneStar()
                    && glob.prefix().equals(other.prefix())
                    && glob.suffix().equals(other.suffix());
        }
    }

    /** The addresses of a block. */
    record Block(Network network) implements Key {
        @Override
        public String sample() {
            String text = network.toString();
            int slash = text.indexOf('/');
            return slash < 0 ? text : text.substring(0, slash);
        }
    }

    /** The paths with this segment. */
    record Part(int depth, String name) implements Key {
        @Override
        public String sample() {
            return name;
        }

        @Override
        public int hashCode() {
            return SecretHash.code(name) + depth;
        }
    }

    /** The paths of a pattern, whatever it calls its segments. */
    record Route(List<Segment> segments) implements Key {

        /** No literal of a pattern has it, since blanks are refused there. */
        private static final String SOME = " ";

        @Override
        public String sample() {
            StringBuilder path = new StringBuilder();
            for (Segment segment : segments) {
                if (segment instanceof Exact exact) {
                    path.append('/').append(exact.name());
                } else if (segment instanceof Any) {
                    path.append('/').append(SOME);
                }
            }
            return path.toString();
        }

        @Override
        public int hashCode() {
            return SecretHash.code(sample());
        }

        /** Whether it is one path: the sample. */
        boolean isOne() {
            return segments.stream().allMatch(Exact.class::isInstance);
        }
    }
}
