package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.database.Database;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each column of the schema that holds text or bytes is claimed: as a text that an erasure replaces, or as something else with a reason. A
 * new column fails this test until its concept has declared it.
 */
class TextColumnsTest {

    /** Texts that people write: the concepts declare them, and an erasure replaces them. */
    private static final String FREE = "free";

    /** Why an erasure does not replace the other columns. */
    private static final Map<String, String> REASONS = Map.of(
            "author", "who acted in the center; it stays as long as the row, because the log names it too",
            "caller", "an erasure removes the caller or the row, see NamedCallers",
            "reported", "an erasure reports it, because only people may change it",
            "audit", "an erasure empties the row, signed by the key of the log",
            "sealed", "a hash, a signature, or encrypted",
            "masked", "callers as masked text and keyed hash, which end with their time",
            "node", "what a node reports about itself, or its result by kind",
            "word", "a word of the program, or a name from the rules");

    private static final String CLAIMS = """
            account            name:reported display_name:reported email:reported identity:reported origin:word
            account            subject:reported password:sealed grants:word
            adjustment         kind:word rule:word limit_name:word attribute:word caller:caller numbers:word reason:free
            adjustment         actor:author ended_by:author end_reason:free tenant:word
            alert              state:word body:masked
            alert_rule         id:word body:word
            alert_silence      kind:word rule:word subject_key:masked subject:masked reason:free actor:author
            answered_request   ref:sealed request:sealed answer:sealed
            api_token          hash:sealed name:reported scopes:word tenant:reported
            approval           kind:word digest:sealed actor:author identity:author remark:free
            audit_checkpoint   root:sealed key_id:sealed signature:sealed
            audit_head         name:word hash:sealed frontier:sealed log:word
            audit_key          id:sealed public_key:sealed before_id:sealed signature:sealed
            audit_node         hash:sealed
            audit_segment      root:sealed
            ceremony           hash:sealed kind:word body:sealed
            change_author      actor:author identity:author
            command            actor:author kind:word reason:audit body:audit salt:audit commitment:sealed hash:sealed
            command            origin:audit outcome:word
            confirmation       refresh_token:sealed
            counter            name:word
            durable_restore    store:word
            durable_restored   store:word ref:sealed
            durable_sum        ref:sealed source:word store:word limit_name:word calendar:word zone:word count_key:caller
            emergency          kind:word why:word guarded:word actor:author identity:author reason:free state:word
            emergency          closed_by:author close_reason:free
            erasure            attribute:word subject_hash:sealed sealed:sealed reason:free actor:author state:word
            erasure            result:sealed
            erasure_answer     node:node result:node
            erasure_key        name:word key_check:sealed
            leadership         name:word holder:word
            node_report        id:node report:node
            one_time_link      hash:sealed
            passkey            credential_hash:sealed credential:sealed public_key:sealed attestation:sealed
            passkey            transports:word label:author
            passkey_user       handle:sealed
            rollout            state:word nodes:node actor:author reason:free digest:sealed plan:caller attribute:word
            rollout            split_key:sealed verdict:node problem:free
            rule_change        state:word title:free reason:free author:author edits:reported
            rule_version       digest:sealed document:reported actor:author title:free reason:free
            series_block       step:word center:word data:node
            session            hash:sealed factors:word server_session:sealed
            settings_proposal  reason:free actor:author identity:author state:word
            """;

    @TempDir
    Path data;

    @Test
    void eachColumnWithTextIsClaimedByItsConcept() throws Exception {
        try (Database database = Database.open("", PreparedCenter.in(data).data())) {
            assertThat(claims().keySet()).containsExactlyElementsOf(columns(database));
        }
    }

    @Test
    void erasuresReplaceExactlyTheFreeTexts() {
        Set<String> free = new TreeSet<>();
        claims().forEach((column, reason) -> {
            if (reason.equals(FREE)) {
                free.add(column);
            } else {
                assertThat(REASONS).as(column).containsKey(reason);
            }
        });
        List<String> declared = CenterData.personal().stream()
                .flatMap(each -> each.texts().stream())
                .map(text -> text.table() + "." + text.column())
                .sorted()
                .toList();
        assertThat(declared).containsExactlyElementsOf(free);
    }

    private static Map<String, String> claims() {
        Map<String, String> claims = new TreeMap<>();
        for (String line : CLAIMS.lines().toList()) {
            String[] parts = line.split(" +", -1);
            for (int i = 1; i < parts.length; i++) {
                String[] claim = parts[i].split(":", -1);
                assertThat(claims.put(parts[0] + "." + claim[0], claim[1]))
                        .as(parts[i])
                        .isNull();
            }
        }
        return claims;
    }

    private static Set<String> columns(Database database) {
        return database.read(client -> {
            Set<String> columns = new TreeSet<>();
            List<String> tables = new ArrayList<>(
                    client.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
                                    + " AND name NOT LIKE 'sluice_schema%'")
                            .query(String.class)
                            .list());
            for (String table : tables) {
                client.sql("SELECT name, type FROM pragma_table_info('" + table + "')")
                        .query()
                        .listOfRows()
                        .forEach(column -> {
                            String type = String.valueOf(column.get("type")).toUpperCase(Locale.ROOT);
                            if (type.contains("CHAR") || type.contains("TEXT") || type.contains("BLOB")) {
                                columns.add(table + "." + column.get("name"));
                            }
                        });
            }
            return columns;
        });
    }
}
