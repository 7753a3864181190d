package io.sluice.center.version;

import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.Numbers;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.SubjectText;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The texts of released versions. Released rules never change, and a digest proves it, so an erasure only reports them. */
public final class VersionData implements PersonalData {

    private static final JsonMapper JSON = JsonMapper.shared();

    @Override
    public List<FreeText> texts() {
        return List.of(
                new FreeText("rule_version", "number", "title"), new FreeText("rule_version", "number", "reason"));
    }

    @Override
    public List<String> left(JdbcClient client, SubjectText subject) {
        long inForce = client.sql("SELECT COALESCE(MAX(number), 0) FROM rule_version WHERE trial = 0")
                .query(Long.class)
                .single();
        List<String> left = new ArrayList<>();
        Set<Long> old = new TreeSet<>();
        for (long number : client.sql("SELECT number FROM rule_version ORDER BY number")
                .query(Long.class)
                .list()) {
            String document = client.sql("SELECT document FROM rule_version WHERE number = ?")
                    .param(number)
                    .query(String.class)
                    .single();
            if (!subject.isInJson(document)) {
                continue;
            }
            if (number == inForce) {
                String rules = rules(document, subject);
                left.add("rules in force: " + rules + (rules.contains(",") ? " name" : " names")
                        + " the subject (release a change without it)");
            } else {
                old.add(number);
            }
        }
        if (!old.isEmpty()) {
            left.add("versions " + Numbers.some(old)
                    + ": their rules name the subject (released rules never change; they go"
                    + " with the retention of versions)");
        }
        return left;
    }

    /** Names the rules that contain the subject. The id of a rule may be the value itself, so such an id is not repeated. */
    private static String rules(String document, SubjectText subject) {
        List<String> ids = new ArrayList<>();
        for (JsonNode rule : JSON.readTree(document).path("rules")) {
            if (subject.isInJson(rule.toString())) {
                String id = rule.path("id").asString("");
                ids.add(subject.isIn(id) ? "a rule whose id is the subject" : id);
            }
        }
        return ids.isEmpty() ? "a rule" : ids.stream().limit(Numbers.SHOWN).collect(Collectors.joining(", "));
    }
}
