package io.sluice.testkit.docs;

import java.io.OutputStream;
import java.net.URI;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

/** Finds classes on the class path, and discards compiled classes. */
final class Unwritten extends ForwardingJavaFileManager<JavaFileManager> {

    Unwritten(JavaCompiler compiler) {
        super(compiler.getStandardFileManager(null, null, null));
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
        return new SimpleJavaFileObject(URI.create("string:///" + className.replace('.', '/') + ".class"), kind) {
            @Override
            public OutputStream openOutputStream() {
                return OutputStream.nullOutputStream();
            }
        };
    }
}
