package io.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.boot.SluiceAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Member;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * The same class files serve Spring 6.2 and 7, and Spring Boot 3.5 and 4. They are compiled against the older ones. Each method and
 * field of a library that they use must exist, with the same types, on the class path of this test.
 */
class LinkageTest {

    private static final List<String> LIBRARIES =
            List.of("org/springframework/", "reactor/", "io/netty/", "jakarta/", "io/micrometer/");

    @ParameterizedTest
    @ValueSource(classes = {RateLimited.class, SluiceAutoConfiguration.class})
    void everyUseOfALibraryLinks(Class<?> ofModule) throws Exception {
        Set<String> missing = new TreeSet<>();
        List<String> checked = new ArrayList<>();
        for (byte[] file : classFiles(ofModule)) {
            new ClassReader(file).accept(new Uses(missing, checked), ClassReader.SKIP_DEBUG);
        }
        assertThat(missing).isEmpty();
        assertThat(checked.size()).isGreaterThan(50);
    }

    private static List<byte[]> classFiles(Class<?> ofModule) throws Exception {
        URI place = ofModule.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path path = Path.of(place);
        if (Files.isDirectory(path)) {
            return read(path);
        }
        try (FileSystem jar = FileSystems.newFileSystem(path, Map.of())) {
            return read(jar.getPath("/"));
        }
    }

    private static List<byte[]> read(Path root) throws IOException {
        List<byte[]> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : (Iterable<Path>) all.filter(path -> path.toString().endsWith(".class"))::iterator) {
                try (InputStream in = Files.newInputStream(file)) {
                    files.add(in.readAllBytes());
                }
            }
        }
        return files;
    }

    private static final class Uses extends ClassVisitor {

        private final Set<String> missing;
        private final List<String> checked;
        private String name = "";

        Uses(Set<String> missing, List<String> checked) {
            super(SpringAsmInfo.ASM_VERSION);
            this.missing = missing;
            this.checked = checked;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            this.name = name;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] exceptions) {
            return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String used, String type, boolean isInterface) {
                    check(owner, used, type);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String used, String type) {
                    check(owner, used, type);
                }

                @Override
                public void visitInvokeDynamicInsn(String used, String type, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            check(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }
            };
        }

        private void check(String owner, String used, String type) {
            if (LIBRARIES.stream().noneMatch(owner::startsWith)) {
                return;
            }
            checked.add(used);
            if (!exists(owner, used, type)) {
                missing.add(name + " uses " + owner + "." + used + type);
            }
        }

        private static boolean exists(String owner, String used, String type) {
            try {
                Class<?> declaring = Class.forName(owner.replace('/', '.'), false, LinkageTest.class.getClassLoader());
                return has(declaring, used, type) || (declaring.isInterface() && has(Object.class, used, type));
            } catch (ClassNotFoundException | LinkageError e) {
                return false;
            }
        }

        private static boolean has(Class<?> type, String used, String descriptor) {
            boolean here = Stream.of(
                            type.getDeclaredMethods(), type.getDeclaredConstructors(), type.getDeclaredFields())
                    .flatMap(members -> Arrays.stream((Member[]) members))
                    .anyMatch(member ->
                            name(member).equals(used) && descriptor(member).equals(descriptor));
            return here
                    || (type.getSuperclass() != null && has(type.getSuperclass(), used, descriptor))
                    || Arrays.stream(type.getInterfaces()).anyMatch(each -> has(each, used, descriptor));
        }

        private static String name(Member member) {
            return member instanceof java.lang.reflect.Constructor<?> ? "<init>" : member.getName();
        }

        private static String descriptor(Member member) {
            if (member instanceof java.lang.reflect.Constructor<?> constructor) {
                return Type.getConstructorDescriptor(constructor);
            }
            return member instanceof java.lang.reflect.Method method
                    ? Type.getMethodDescriptor(method)
                    : Type.getDescriptor(((java.lang.reflect.Field) member).getType());
        }
    }
}
