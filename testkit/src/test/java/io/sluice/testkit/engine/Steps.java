package io.sluice.testkit.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * Counts the steps of a piece of work: each call of a method of Sluice and each turn of its loops. The classes of Sluice are loaded a
 * second time for this, with a call of {@link #step} at those places, so that the ones in production need no counter. What the JDK
 * does inside is not counted, except where it calls back, as a sort or a tree does to compare.
 */
public final class Steps {

    private static final AtomicLong TAKEN = new AtomicLong();

    private Steps() {}

    /** Called by the changed classes. */
    public static void step() {
        TAKEN.incrementAndGet();
    }

    /**
     * Returns the steps of the work on an input of a given size. What the constructor does is not counted.
     *
     * @param work has a constructor that takes the size
     */
    static long of(Class<? extends Runnable> work, int size) {
        try {
            Constructor<?> made =
                    new CountingClasses().loadClass(work.getName()).getDeclaredConstructor(int.class);
            made.setAccessible(true);
            Runnable prepared = (Runnable) made.newInstance(size);
            TAKEN.set(0);
            prepared.run();
            return TAKEN.get();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(work.getName(), e);
        }
    }

    private static final class CountingClasses extends ClassLoader {

        CountingClasses() {
            super(Steps.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.sluice.") || name.equals(Steps.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                @Nullable Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                ClassReader reader = new ClassReader(file);
                ClassWriter writer = new ClassWriter(0);
                reader.accept(new CountingClass(writer), 0);
                byte[] changed = writer.toByteArray();
                return defineClass(name, changed, 0, changed.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class CountingClass extends ClassVisitor {

        CountingClass(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            return new CountingMethod(super.visitMethod(access, name, descriptor, signature, thrown));
        }
    }

    /** A jump to a label that was passed already is the end of a loop's turn. */
    private static final class CountingMethod extends MethodVisitor {

        private final Set<Label> passed = new HashSet<>();

        CountingMethod(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            count();
        }

        @Override
        public void visitLabel(Label label) {
            super.visitLabel(label);
            passed.add(label);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            if (passed.contains(label)) {
                count();
            }
            super.visitJumpInsn(opcode, label);
        }

        private void count() {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Type.getInternalName(Steps.class), "step", "()V", false);
        }
    }
}
