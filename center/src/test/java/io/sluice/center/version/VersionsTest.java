package io.sluice.center.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.database.Database;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

class VersionsTest {

    @TempDir
    Path data;

    @Test
    void aVersionThatWasNeverStoredIsForgotten() throws Exception {
        Versions versions = new Versions();
        try (Database database = Database.open("", data)) {
            assertThatThrownBy(() -> database.write(client -> {
                        add(versions, client, "undone");
                        assertThat(versions.latestRules(client).rule("undone")).isPresent();
                        throw new IllegalStateException("rolled back");
                    }))
                    .hasMessage("rolled back");
            boolean added = database.write(client -> {
                add(versions, client, "stored");
                return true;
            });
            assertThat(added).isTrue();
            RuleSet rules = database.read(versions::latestRules);
            assertThat(rules.rule("stored")).isPresent();
            assertThat(rules.rule("undone")).isEmpty();
            assertThat(database.read(versions::latestRules)).isSameAs(rules);
        }
    }

    private static void add(Versions versions, JdbcClient client, String id) {
        RuleDocument document =
                RuleDocument.parseRule("test", "{\"id\":\"" + id + "\",\"limits\":[{\"rate\":\"5/s\"}]}");
        List<Rule> rules = ((RuleDocument.Accepted) document).rules();
        RuleSet set = new RuleSet(1, rules);
        versions.add(client, new Version(1, set.digest(), 1, 1, "token:test", "title", "reason", 0, 0, 1, false), set);
    }
}
