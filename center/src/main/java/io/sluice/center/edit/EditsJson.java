package io.sluice.center.edit;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The stored form of edits: {@code {"edits":[{"put":{…}},{"remove":"id"}],"order":[…]}}. */
public final class EditsJson {

    private static final JsonMapper JSON = JsonMapper.shared();

    private EditsJson() {}

    public static String write(Edits edits) {
        return JSON.writeValueAsString(tree(edits));
    }

    /** Returns the stored form as a tree. */
    public static ObjectNode tree(Edits edits) {
        ObjectNode root = JSON.createObjectNode();
        root.set("edits", list(edits));
        ArrayNode order = root.putArray("order");
        edits.order().forEach(order::add);
        return root;
    }

    /** Returns only the list of edits, in the form of the API. */
    public static ArrayNode list(Edits edits) {
        ArrayNode list = JSON.createArrayNode();
        for (Edit edit : edits.list()) {
            ObjectNode item = list.addObject();
            if (edit instanceof Edit.Put put) {
                item.set("put", JSON.readTree(RuleJson.rule(put.put())));
            } else {
                item.put("remove", edit.rule());
            }
        }
        return list;
    }

    /** Reads the stored form. */
    public static Edits read(String text) {
        JsonNode root = JSON.readTree(text);
        List<Edit> edits = new ArrayList<>();
        for (JsonNode item : root.get("edits")) {
            JsonNode put = item.get("put");
            edits.add(put == null ? new Edit.Remove(item.get("remove").asString()) : new Edit.Put(rule(put)));
        }
        List<String> order = new ArrayList<>();
        root.get("order").forEach(id -> order.add(id.asString()));
        return new Edits(edits, order);
    }

    private static Rule rule(JsonNode json) {
        RuleDocument document = RuleDocument.parseRule("stored edit", JSON.writeValueAsString(json));
        if (document instanceof RuleDocument.Accepted accepted) {
            return accepted.rules().get(0);
        }
        throw new IllegalStateException("a stored edit cannot be read: "
                + ((RuleDocument.Refused) document).errors().get(0));
    }
}
