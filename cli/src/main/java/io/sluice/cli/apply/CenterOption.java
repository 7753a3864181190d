package io.sluice.cli.apply;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.source.FileDocuments;
import io.sluice.rules.yaml.DocumentError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The flags that name a document and a center. */
final class CenterOption extends CenterAccess {

    @Parameters(paramLabel = "FILE", description = "a rule document in YAML or JSON, or a directory of rule documents")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path file;

    Path file() {
        return file;
    }

    /** Returns the rules of the document; empty if it has errors, which are printed. */
    Optional<List<Rule>> rules() {
        RuleDocument document = FileDocuments.read(file);
        PrintWriter err = spec.commandLine().getErr();
        document.warnings().forEach(warning -> {
            String place = warning.toString();
            err.println(
                    place.substring(0, place.length() - warning.message().length()) + "warning: " + warning.message());
        });
        if (document instanceof RuleDocument.Accepted accepted) {
            return Optional.of(accepted.rules());
        }
        var errors = ((RuleDocument.Refused) document).errors();
        if (DocumentError.areUnreadable(errors)) {
            throw new ParameterException(spec.commandLine(), errors.get(0).toString());
        }
        errors.forEach(err::println);
        return Optional.empty();
    }
}
