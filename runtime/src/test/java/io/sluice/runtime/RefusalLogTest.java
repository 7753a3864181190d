package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class RefusalLogTest {

    @Test
    void logsAllRefusalsInOneLineWithTheMostFrequentFirst() {
        TreeMap<String, LongAdder> gathered = new TreeMap<>();
        for (int i = 1; i <= 7; i++) {
            LongAdder count = new LongAdder();
            count.add(i);
            gathered.put("rule." + i, count);
        }

        assertThat(RefusalLog.line(gathered))
                .isEqualTo("refused 28 requests in 10 s: rule.7 7, rule.6 6, rule.5 5, rule.4 4, rule.3 3 and 2 more");
    }
}
