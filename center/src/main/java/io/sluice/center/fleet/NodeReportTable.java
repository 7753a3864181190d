package io.sluice.center.fleet;

import io.sluice.runtime.fleet.NodeReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The last reports of nodes that use HTTP, so that every center on the database knows every node. */
public final class NodeReportTable {

    /**
     * Stores reports that are newer than the stored ones, so that a center with an older report of a node does not replace the report of
     * another center. Returns the number of stored reports.
     *
     * @param stored the reports that {@link #all} returned
     */
    public int save(JdbcClient client, List<NodeReport> reports, List<NodeReport> stored) {
        Map<String, NodeReport> known = new HashMap<>();
        stored.forEach(each -> known.put(each.node(), each));
        int saved = 0;
        for (NodeReport report : reports) {
            NodeReport before = known.get(report.node());
            if (before == null) {
                saved += client.sql("INSERT INTO node_report (id, beat, report) VALUES (?, ?, ?)")
                        .params(report.node(), report.beat(), report.toJson())
                        .update();
            } else if (report.identity().startedMillis() != before.identity().startedMillis()
                    || report.beat() > before.beat()) {
                // Another center may have stored a report since then. In that case, the next turn compares with that
                // report.
                saved += client.sql("UPDATE node_report SET beat = ?, report = ? WHERE id = ? AND beat = ?")
                        .params(report.beat(), report.toJson(), report.node(), before.beat())
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
}
