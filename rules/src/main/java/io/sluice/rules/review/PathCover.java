package io.sluice.rules.review;

import io.sluice.rules.pattern.Glob;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.pattern.PathPattern.Any;
import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Rest;
import io.sluice.rules.pattern.PathPattern.Segment;
import java.util.List;
import java.util.Optional;

/** Compares patterns of paths: decides whether every path that matches one pattern provably matches the other. */
final class PathCover {

    private PathCover() {}

    static boolean covers(PathPattern wide, PathPattern narrow) {
        List<Segment> wides = wide.segments();
        List<Segment> narrows = narrow.segments();
        for (int i = 0; i < wides.size(); i++) {
            if (wides.get(i) instanceof Rest) {
                return true;
            }
            if (i == narrows.size() || !covers(wides.get(i), narrows.get(i))) {
                return false;
            }
        }
        return wides.size() == narrows.size();
    }

    /** Returns whether the narrow segment is a single segment, not the rest of a path, and the wide segment matches it. */
    private static boolean covers(Segment wide, Segment narrow) {
        if (narrow instanceof Exact exact) {
            return wide.matches(exact.name(), 0, exact.name().length());
        }
        return wide instanceof Any && narrow instanceof Any;
    }

    /**
     * Returns whether a pattern covers a glob. A pattern with any rest covers it if it matches the whole segments that the glob
     * starts with.
     */
    static boolean covers(PathPattern wide, Glob narrow) {
        int slash = narrow.prefix().lastIndexOf('/');
        List<Segment> segments = wide.segments();
        return segments.get(segments.size() - 1) instanceof Rest
                && (segments.size() == 1
                        || (slash > 0 && wide.matches(narrow.prefix().substring(0, slash))));
    }

    /** Returns whether a glob covers a pattern. A glob with one star at its end covers a pattern with the same start. */
    static boolean covers(Glob wide, PathPattern narrow) {
        return wide.isOneStar() && wide.suffix().isEmpty() && start(narrow).startsWith(wide.prefix());
    }

    /** Returns the text that every match starts with. */
    private static String start(PathPattern pattern) {
        StringBuilder start = new StringBuilder();
        for (Segment segment : pattern.segments()) {
            if (segment instanceof Rest) {
                break;
            }
            start.append('/');
            if (!(segment instanceof Exact exact)) {
                break;
            }
            start.append(exact.name());
        }
        return start.toString();
    }

    /** Returns the only path that matches, if there is only one. */
    static Optional<String> only(PathPattern pattern) {
        return pattern.segments().stream().allMatch(Exact.class::isInstance)
                ? Optional.of(pattern.toString())
                : Optional.empty();
    }

    /** Returns a path that matches. */
    static String example(PathPattern pattern) {
        StringBuilder path = new StringBuilder();
        for (Segment segment : pattern.segments()) {
            if (segment instanceof Exact exact) {
                path.append('/').append(exact.name());
            } else if (segment instanceof Any) {
                path.append("/x");
            }
        }
        return path.isEmpty() ? "/" : path.toString();
    }
}
