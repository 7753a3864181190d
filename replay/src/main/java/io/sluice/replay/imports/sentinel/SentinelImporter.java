package io.sluice.replay.imports.sentinel;

import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ForeignFormat;
import io.sluice.replay.imports.draft.ForeignTree;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.replay.imports.draft.Importer;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules from the JSON that Sentinel and its console store: flow rules, hot-parameter rules, gateway flow rules and API groups. A file is
 * one list, or an object with several lists under any names. The kind of each item is recognised by its fields.
 */
public final class SentinelImporter implements Importer {

    private static final ForeignFormat FORMAT =
            new ForeignFormat("Sentinel", "flow rules, parameter rules or gateway rules");

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return ForeignTree.convert(file, FORMAT, SentinelImporter::convert);
    }

    private static void convert(YamlValue root, DocumentDraft draft, Errors errors) {
        List<Section> rules = new ArrayList<>();
        collect(root, errors, rules);
        if (rules.isEmpty()) {
            errors.add(root.place(), "rules: none found (expected: a list of rules, each with a resource)");
        }
        ApiGroups groups = new ApiGroups();
        rules.stream().filter(rule -> rule.has("apiName")).forEach(groups::add);
        Set<String> resources = new HashSet<>();
        for (Section rule : rules) {
            if (rule.has("apiName")) {
                continue;
            }
            if (rule.text("resource").isEmpty()) {
                errors.add(rule.place(), "resource: missing (expected: the name of a resource)");
            } else if (rule.has("resourceMode") || rule.has("intervalSec") || rule.has("paramItem")) {
                warnOfOrder(GatewayFlowRules.convert(rule, groups, draft), rule, resources);
            } else if (rule.has("paramIdx")) {
                warnOfOrder(HotParameterRules.convert(rule, draft), rule, resources);
            } else if (rule.has("count") && (rule.has("timeWindow") || rule.has("minRequestAmount"))) {
                draft.warn(rule.place(), "rule: a circuit breaker has no counterpart; it is not imported");
            } else if (rule.has("count")) {
                FlowRules.convert(rule, draft);
            } else {
                draft.warn(rule.place(), "rule: neither a flow rule nor a parameter rule; it is not imported");
            }
        }
    }

    private static void warnOfOrder(RuleDraft draft, Section rule, Set<String> resources) {
        if (!resources.add(rule.text("resource", ""))) {
            draft.warn(
                    "resource: Sentinel asks the parameter rules of a resource one after the other, so a request that one of them"
                            + " refuses may have used up permits of others; here a refused request takes none, and more may pass");
        }
    }

    private static void collect(YamlValue value, Errors errors, List<Section> rules) {
        if (value instanceof YamlList list) {
            list.items().forEach(item -> collect(item, errors, rules));
            return;
        }
        Section.of(value, errors).ifPresent(section -> {
            if (section.has("resource") || section.has("apiName")) {
                rules.add(section);
            } else {
                section.keys().forEach(key -> section.value(key.text())
                        .filter(inner -> inner instanceof YamlList)
                        .ifPresent(inner -> collect(inner, errors, rules)));
            }
        });
    }
}
