package io.sluice.center.fleet;

import io.sluice.runtime.fleet.NodeReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The last reports of nodes that speak HTTP, so that every center on the database knows every node. */
public final class NodeReportTable {

    /** Stores reports that are newer than the stored ones. Returns their number. */
    public int save(JdbcClient client, List<NodeReport> reports) {
        Map<String, Long> stored = beats(client);
        int saved = 0;
        for (NodeReport report : reports) {
            Long beat = stored.get(report.node());
            if (beat == null) {
                client.sql("INSERT INTO node_report (id, beat, report) VALUES (?, ?, ?)")
                        .params(report.node(), report.beat(), report.toJson())
                        .update();
                saved++;
            } else if (beat != report.beat()) {
                saved += client.sql("UPDATE node_report SET beat = ?, report = ? WHERE id = ?")
                        .params(report.beat(), report.toJson(), report.node())
                        .update();
            }
        }
        return saved;
    }

    public List<NodeReport> all(JdbcClient client) {
        List<NodeReport> reports = new ArrayList<>();
        for (String text :
                client.sql("SELECT report FROM node_report").query(String.class).list()) {
            reports.add(NodeReport.parse(text));
        }
        return reports;
    }

    public void remove(JdbcClient client, List<String> ids) {
        ids.forEach(id ->
                client.sql("DELETE FROM node_report WHERE id = ?").param(id).update());
    }

    private static Map<String, Long> beats(JdbcClient client) {
        Map<String, Long> beats = new HashMap<>();
        client.sql("SELECT id, beat FROM node_report").query((org.springframework.jdbc.core.RowCallbackHandler)
                row -> beats.put(row.getString(1), row.getLong(2)));
        return beats;
    }
}
