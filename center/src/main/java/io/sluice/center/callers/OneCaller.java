package io.sluice.center.callers;

import io.sluice.center.data.RefusedCaller;
import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Searches files for one caller. Reads only the groups that contain its hash. Not thread-safe. */
final class OneCaller {

    private final String hash;
    private final Map<GroupName, Sum> sums = new LinkedHashMap<>();

    private static final class Sum {
        private CallerMark caller = new CallerMark("", "");
        private long least;
        private long error;
    }

    OneCaller(String hash) {
        this.hash = hash;
    }

    void add(CallerFile file) {
        for (RefusedMinute.Group group : file.content().groups()) {
            if (!isIn(group.frequent(), hash)) {
                continue;
            }
            for (FrequentCallers.Frequency each :
                    FrequentCallers.Counted.of(group.frequent()).callers()) {
                if (each.caller().hash().equals(hash)) {
                    Sum sum = sums.computeIfAbsent(GroupName.of(group), unused -> new Sum());
                    boolean isHidden = sum.least > 0 && sum.caller.masked().isEmpty();
                    sum.caller = isHidden ? sum.caller : each.caller();
                    sum.least += each.most() - each.error();
                    sum.error += each.error();
                }
            }
        }
    }

    /** Returns the matches, highest numbers first. */
    List<RefusedCaller> found() {
        List<RefusedCaller> all = new ArrayList<>();
        sums.forEach((name, sum) -> all.add(new RefusedCaller(
                name.rule(), name.limit(), name.attributes(), sum.caller, sum.least + sum.error, sum.error)));
        all.sort(Comparator.comparingLong(RefusedCaller::refused).reversed());
        return all;
    }

    /** Returns whether bytes contain a hash as text. */
    static boolean isIn(byte[] bytes, String hash) {
        return isIn(bytes, hash.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns whether bytes contain a hash as text, or the number that {@link DistinctCallers} derives from it. */
    static boolean isAnywhereIn(byte[] bytes, String hash) {
        DistinctCallers number = new DistinctCallers();
        number.add(new CallerMark("", hash));
        return isIn(bytes, hash) || isIn(bytes, number.toBytes());
    }

    private static boolean isIn(byte[] bytes, byte[] wanted) {
        int end = bytes.length - wanted.length;
        for (int i = 0; i <= end; i++) {
            int same = 0;
            while (same < wanted.length && bytes[i + same] == wanted[same]) {
                same++;
            }
            if (same == wanted.length) {
                return true;
            }
        }
        return false;
    }
}
