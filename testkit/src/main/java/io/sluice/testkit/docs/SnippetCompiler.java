package io.sluice.testkit.docs;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles the Java blocks of a page as its readers would: as statements, as members of a class, or as classes. {@code { … }} stands for
 * a body that does not matter.
 */
public final class SnippetCompiler {

    private static final String BODY = "{ throw new UnsupportedOperationException(); }";

    private final JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
    private final List<String> imports;
    private final String names;

    /**
     * Creates a compiler.
     *
     * @param imports the types that blocks may use without importing them, such as {@code java.util.*}
     * @param names the members that blocks may use without declaring them, such as {@code String userId;}
     */
    public SnippetCompiler(List<String> imports, String names) {
        this.imports = List.copyOf(imports);
        this.names = names;
    }

    /** Returns the reason why a block does not compile in any form, for the form that came furthest; empty if it compiles. */
    public Optional<String> errors(Snippet snippet) {
        String text = snippet.text().replaceAll("\\{\\s*…\\s*}", BODY);
        String own = text.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n"));
        String rest = text.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
        String head = imports.stream().map(name -> "import " + name + ";\n").collect(Collectors.joining()) + own;
        List<String> forms = List.of(
                "%s\nabstract class Snippet extends Names {\nvoid run() throws Exception {\n%s\n}\n}\n",
                "%s\nabstract class Snippet extends Names {\n%s\n}\n", "%s\n%s\n");
        List<String> fewest = null;
        for (String form : forms) {
            String source = form.formatted(head, rest) + "\nabstract class Names {\n" + names + "\n}\n";
            List<String> errors = compile(source);
            if (errors.isEmpty()) {
                return Optional.empty();
            }
            fewest = fewest == null || errors.size() < fewest.size() ? errors : fewest;
        }
        return Optional.of(String.join("\n", Objects.requireNonNull(fewest)));
    }

    private List<String> compile(String source) {
        DiagnosticCollector<JavaFileObject> told = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "-Xlint:none", "-parameters", "-implicit:none");
        compiler.getTask(null, new Unwritten(compiler), told, options, null, List.of(new Source(source)))
                .call();
        List<String> errors = new ArrayList<>();
        for (Diagnostic<?> each : told.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(each.getMessage(Locale.ROOT) + " in: " + line(source, each.getLineNumber()));
            }
        }
        return errors;
    }

    private static String line(String source, long number) {
        return source.lines()
                .skip(Math.max(0, number - 1))
                .findFirst()
                .orElse("")
                .strip();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String text) {
            super(URI.create("string:///Snippet.java"), Kind.SOURCE);
            this.text = text;
        }

        /** Returns true, because a block may contain a public class of any name. */
        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
