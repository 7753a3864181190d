package io.sluice.rules.internal.index;

import io.sluice.rules.Glob;
import io.sluice.rules.Network;
import io.sluice.rules.PathPattern;
import io.sluice.rules.PathPattern.Any;
import io.sluice.rules.PathPattern.Exact;
import io.sluice.rules.PathPattern.Segment;

/** What can be looked up in a {@link Fork}: one of the values that a constraint allows an attribute to have. */
sealed interface Key {

    /** A value that this key is found by, so that it can be seen which others are found with it. */
    String sample();

    /** Just this text. */
    record Text(String text) implements Key {
        @Override
        public String sample() {
            return text;
        }
    }

    /** What a pattern matches. */
    record Wild(Glob glob) implements Key {
        @Override
        public String sample() {
            return glob.prefix() + glob.suffix();
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
    }

    /** The paths of a pattern. */
    record Route(PathPattern pattern) implements Key {

        /** No literal of a pattern has it, since blanks are refused there. */
        private static final String SOME = " ";

        @Override
        public String sample() {
            StringBuilder path = new StringBuilder();
            for (Segment segment : pattern.segments()) {
                if (segment instanceof Exact exact) {
                    path.append('/').append(exact.name());
                } else if (segment instanceof Any) {
                    path.append('/').append(SOME);
                }
            }
            return path.toString();
        }
    }
}
