package io.sluice.spring.method.expression;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** An expression of an annotation, parsed once. It can only read the arguments, the caller and the request. Thread-safe. */
public final class CallExpression implements CallValue {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final RequestAccess REQUESTS = new RequestAccess();
    private static final ReadAccess READS = new ReadAccess();

    /** Syntax that does more than read and is therefore not allowed. */
    private static final Set<Class<?>> ACTING = Set.of(
            TypeReference.class,
            ConstructorReference.class,
            BeanReference.class,
            MethodReference.class,
            FunctionReference.class,
            Assign.class,
            OpInc.class,
            OpDec.class);

    private static final Set<SpelMessage> NULL_ON_THE_WAY =
            Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

    private final SpelExpression expression;
    private final Map<String, Variable> used;

    private CallExpression(SpelExpression expression, Map<String, Variable> used) {
        this.expression = expression;
        this.used = used;
    }

    /**
     * Parses and checks an expression.
     *
     * @param attribute the annotation attribute, for error messages
     * @param known the variables of the method
     * @throws IllegalArgumentException if the expression is not allowed; its message is complete
     */
    public static CallValue parse(String attribute, String text, Map<String, Variable> known) {
        SpelExpression expression;
        try {
            expression = (SpelExpression) PARSER.parseExpression(text);
        } catch (ExpressionException | IllegalStateException e) {
            throw new IllegalArgumentException(
                    attribute + ": " + text + " (expected: a SpEL expression; " + e.getMessage() + ")", e);
        }
        Map<String, Variable> used = new LinkedHashMap<>();
        check(expression.getAST(), attribute, text, known, used);
        return expression.getAST() instanceof VariableReference && !used.isEmpty()
                ? used.values().iterator().next()
                : new CallExpression(expression, used);
    }

    private static void check(
            SpelNode node, String attribute, String text, Map<String, Variable> known, Map<String, Variable> used) {
        if (ACTING.contains(node.getClass())) {
            throw new IllegalArgumentException(attribute + ": " + text + " (expected: no " + node.toStringAST()
                    + "; expressions only read properties)");
        }
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            Variable variable = known.get(name);
            if (variable != null) {
                used.put(name, variable);
            } else if (!name.equals("this")) {
                throw new IllegalArgumentException(attribute + ": " + text + " (expected: one of #"
                        + String.join(", #", known.keySet()) + " instead of #" + name
                        + "; argument names need the compiler option -parameters)");
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i), attribute, text, known, used);
        }
    }

    @Override
    public @Nullable Object of(Call call) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forPropertyAccessors(REQUESTS, READS)
                .withIndexAccessors(REQUESTS, READS)
                .withAssignmentDisabled()
                .build();
        used.forEach((name, variable) -> context.setVariable(name, variable.of(call)));
        try {
            return expression.getValue(context);
        } catch (SpelEvaluationException e) {
            if (NULL_ON_THE_WAY.contains(e.getMessageCode())) {
                return null;
            }
            throw e;
        }
    }
}
