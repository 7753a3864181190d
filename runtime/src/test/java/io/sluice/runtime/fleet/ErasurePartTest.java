package io.sluice.runtime.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ErasurePartTest {

    @Test
    void manyLongResultsComeWithSeveralReports() {
        List<ErasureResult> results = new ArrayList<>();
        for (int i = 1; i <= ErasureOrder.MOST; i++) {
            results.add(
                    new ErasureResult(i, Map.of("counts", 1L), Collections.nCopies(50, "x".repeat(500)), List.of()));
        }
        List<ErasureResult> rest = new ArrayList<>(results);
        int reports = 0;
        while (!rest.isEmpty()) {
            List<ErasureResult> few = ErasurePart.few(rest);
            int characters =
                    few.stream().mapToInt(each -> each.left().size() * 500).sum();
            assertThat(characters).isPositive().isLessThanOrEqualTo(ErasurePart.MOST_CHARACTERS);
            rest = rest.subList(few.size(), rest.size());
            reports++;
        }
        assertThat(reports).isEqualTo(7);
        assertThat(ErasurePart.few(List.of())).isEmpty();
    }

    @Test
    void oneResultIsReportedHoweverLongItIs() {
        ErasureResult longest = new ErasureResult(1, Map.of(), Collections.nCopies(50, "\0".repeat(500)), List.of());
        assertThat(ErasurePart.few(List.of(longest, longest))).containsExactly(longest);
    }
}
