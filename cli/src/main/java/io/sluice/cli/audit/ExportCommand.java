package io.sluice.cli.audit;

import io.sluice.cli.apply.CenterCallException;
import io.sluice.cli.apply.Failure;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "export",
        description = {
            "Writes the audit log of a center to a file: JSON lines, which ./sluice audit verify reads, or a table (csv).",
            "Exit 0 if the file is complete, 1 if not, 2 on bad usage."
        },
        mixinStandardHelpOptions = true)
final class ExportCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final AuditCenter center = new AuditCenter();

    @Option(
            names = "--format",
            paramLabel = "FORM",
            description = "jsonl, which can be verified, or csv, a table for people (default: jsonl)")
    private String format = "jsonl";

    @Parameters(
            paramLabel = "FILE",
            description =
                    "the file to write, readable for its owner alone; an existing one is replaced, and one that ends"
                            + " with .gz is compressed")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path file;

    @Override
    public Integer call() {
        if (!format.equals("jsonl") && !format.equals("csv")) {
            throw new ParameterException(
                    spec.commandLine(), "--format: " + PrintableText.text(format) + " (expected: jsonl or csv)");
        }
        Path target = file.toAbsolutePath();
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try (InputStream in = center.client().download("/api/audit/export?format=" + format)) {
            boolean complete = copy(in, part);
            if (!complete) {
                Files.deleteIfExists(part);
                return failed("the export was cut off (expected: try again; the log of the center says why)");
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (CenterCallException e) {
            return Failure.print(spec, e);
        } catch (IOException e) {
            return failed(file + ": cannot be written, or the center ended the connection (" + e + ")");
        }
        spec.commandLine().getOut().println("exported to " + file);
        spec.commandLine().getOut().flush();
        return ExitCode.OK;
    }

    /** Returns whether everything arrived. If the center fails in the middle of a table, it breaks the connection. */
    private boolean copy(InputStream in, Path part) throws IOException {
        Files.deleteIfExists(part);
        Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        LastLine last = new LastLine();
        try (OutputStream out = opened(part)) {
            byte[] some = new byte[65_536];
            for (int length = in.read(some); length >= 0; length = in.read(some)) {
                out.write(some, 0, length);
                last.add(some, length);
            }
        } catch (IOException e) {
            Files.deleteIfExists(part);
            throw e;
        }
        return format.equals("csv") || last.isEnd();
    }

    private OutputStream opened(Path part) throws IOException {
        OutputStream out = Files.newOutputStream(part);
        return file.toString().endsWith(".gz") ? new GZIPOutputStream(out) : out;
    }

    private int failed(String why) {
        spec.commandLine().getErr().println("sluice: " + why);
        return ExitCode.SOFTWARE;
    }
}
