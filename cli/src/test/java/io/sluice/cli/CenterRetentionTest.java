package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.center.personal.RetentionSettings;
import io.sluice.node.config.CenterRetention;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a center keeps data, in its configuration. */
class CenterRetentionTest {

    @TempDir
    Path folder;

    @Test
    void theConfigChoosesTimesAndTheOthersStayAsUsual() throws Exception {
        CenterRetention read = read("{audit: 400d, adjustments: 7d, backups: 30}");

        RetentionSettings settings =
                new RetentionSettings(read.times(), read.backups().orElseThrow());
        assertThat(settings.of(RetentionSettings.AUDIT)).isEqualTo(Duration.ofDays(400));
        assertThat(settings.of(RetentionSettings.ADJUSTMENTS)).isEqualTo(Duration.ofDays(7));
        assertThat(settings.of(RetentionSettings.CHANGES)).isEqualTo(Duration.ofDays(730));
        assertThat(settings.backups()).isEqualTo(30);
        assertThat(RetentionSettings.DEFAULT.of(RetentionSettings.AUDIT)).isEqualTo(Duration.ofDays(730));
        assertThat(RetentionSettings.DEFAULT.backups()).isEqualTo(14);
    }

    @Test
    void theConfigAndTheCenterAcceptTheSameTimes() throws Exception {
        for (Map.Entry<String, RetentionSettings.Bounds> kind : RetentionSettings.KINDS.entrySet()) {
            long least = kind.getValue().shortest().toDays();
            CenterRetention shortest = read("{" + kind.getKey() + ": " + least + "d}");
            assertThat(new RetentionSettings(shortest.times(), 1).of(kind.getKey()))
                    .isEqualTo(Duration.ofDays(least));
            assertThat(refusal("{" + kind.getKey() + ": " + (least - 1) + "d}"))
                    .contains(kind.getKey() + ": " + (least - 1) + "d (expected: days from " + least + "d to 36500d");
            assertThatThrownBy(() -> new RetentionSettings(Map.of(kind.getKey(), Duration.ofDays(least - 1)), 1))
                    .hasMessageContaining("expected: " + least + "d to 36500d");
            long most = RetentionSettings.LONGEST.toDays();
            assertThat(read("{" + kind.getKey() + ": " + most + "d}").times())
                    .containsEntry(kind.getKey(), RetentionSettings.LONGEST);
            assertThat(refusal("{" + kind.getKey() + ": " + (most + 1) + "d}")).contains("expected: days");
        }
    }

    @Test
    void refusesWhatIsNoTime() {
        assertThat(refusal("{audit: forever}")).contains("audit: forever (expected: days from 30d");
        assertThat(refusal("{audit: 12h}")).contains("audit: 12h (expected: days from 30d");
        assertThat(refusal("{backups: 0}")).contains("backups: 0 (expected: 1");
        assertThat(refusal("{audits: 30d}")).contains("audits");
        assertThatThrownBy(() -> new RetentionSettings(Map.of(), 0)).hasMessageContaining("retention.backups: 0");
        assertThatThrownBy(() -> new RetentionSettings(Map.of("audits", Duration.ofDays(40)), 1))
                .hasMessageContaining("retention.audits: unknown");
    }

    private CenterRetention read(String section) throws Exception {
        return config(section).centerRole().retention();
    }

    private String refusal(String section) {
        return catchThrowableOfType(ConfigRefusedException.class, () -> config(section))
                .errors()
                .get(0)
                .message();
    }

    private ConfigFile config(String section) throws Exception {
        Path file = Files.writeString(folder.resolve("sluice.yaml"), "center: {retention: " + section + "}\n");
        return ConfigFile.read(file);
    }
}
