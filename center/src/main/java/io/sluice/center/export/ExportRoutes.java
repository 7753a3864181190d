package io.sluice.center.export;

import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint that returns the audit log as a file. */
@RestController
public final class ExportRoutes {

    /** The maximum number of concurrent exports. Each occupies a thread of the server for as long as its reader takes. */
    private static final int MOST_AT_ONCE = 4;

    private final AuditExport export;
    private final Semaphore free = new Semaphore(MOST_AT_ONCE);

    ExportRoutes(AuditExport export) {
        this.export = export;
    }

    /** Writes the answer row by row. A failure during the export cuts the answer off, so that it has no last line. */
    @GetMapping("/api/audit/export")
    @Nullable
    ResponseEntity<Void> export(
            @RequestParam(name = "format", defaultValue = "jsonl") String format, HttpServletResponse response)
            throws IOException {
        ExportFormat form = ExportFormat.of(format);
        if (!free.tryAcquire()) {
            throw RefusedException.conflict(
                    "export: " + MOST_AT_ONCE + " are under way (expected: try again when one of them has ended)");
        }
        try {
            AuditExport.Job job = export.job(form);
            response.setContentType(form.type());
            response.setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=" + form.fileName());
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            job.write(response.getOutputStream());
        } catch (RuntimeException e) {
            if (response.isCommitted()) {
                throw new IOException("the export was cut off", e);
            }
            response.reset();
            throw e;
        } finally {
            free.release();
        }
        return null;
    }
}
