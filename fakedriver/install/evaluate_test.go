// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"

	"github.com/google/cel-go/cel"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
)

// policy evaluates a ValidatingAdmissionPolicy with the API server's code.
type policy struct {
	g          *WithT
	spec       admissionregistrationv1.ValidatingAdmissionPolicySpec
	conditions plugincel.ConditionEvaluator
	checks     plugincel.ConditionEvaluator
	messages   plugincel.ConditionEvaluator
}

// expression is an expression of a policy and its required result type.
type expression struct {
	name, text string
	result     *cel.Type
}

func (e expression) GetName() string          { return e.name }
func (e expression) GetExpression() string    { return e.text }
func (e expression) ReturnTypes() []*cel.Type { return []*cel.Type{e.result} }

// newPolicy compiles a policy like an API server of the given release when the
// policy is created.
func newPolicy(g *WithT, spec admissionregistrationv1.ValidatingAdmissionPolicySpec, release *version.Version) policy {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(release))
	g.Expect(err).NotTo(HaveOccurred())
	declared, mode := plugincel.OptionalVariableDeclarations{}, environment.NewExpressions
	for _, variable := range spec.Variables {
		compiled := compiler.CompileAndStoreVariable(expression{variable.Name, variable.Expression, cel.AnyType}, declared, mode)
		g.Expect(compiled.Error).NotTo(HaveOccurred(), "variable %s", variable.Name)
	}
	compile := func(expressions []plugincel.ExpressionAccessor) plugincel.ConditionEvaluator {
		compiled := compiler.CompileCondition(expressions, declared, mode)
		g.Expect(compiled.CompilationErrors()).To(BeEmpty())
		return compiled
	}
	var conditions, checks, messages []plugincel.ExpressionAccessor
	for _, condition := range spec.MatchConditions {
		conditions = append(conditions, expression{condition.Name, condition.Expression, cel.BoolType})
	}
	for _, check := range spec.Validations {
		checks = append(checks, expression{text: check.Expression, result: cel.BoolType})
		message := expression{text: `""`, result: cel.StringType}
		if check.MessageExpression != "" {
			message.text = check.MessageExpression
		}
		messages = append(messages, message)
	}
	return policy{g, spec, compile(conditions), compile(checks), compile(messages)}
}

// request is a request to write a ResourceSlice.
type request struct {
	user string
	node string // node name in the token, may be empty
	old  *resourceapi.ResourceSlice
	new  *resourceapi.ResourceSlice
}

// attributes converts the request into admission attributes.
func (r request) attributes(g *WithT) *admission.VersionedAttributes {
	who := &user.DefaultInfo{Name: r.user}
	if r.node != "" {
		who.Extra = map[string][]string{"authentication.kubernetes.io/node-name": {r.node}}
	}
	kind := resourceapi.SchemeGroupVersion.WithKind("ResourceSlice")
	resource := resourceapi.SchemeGroupVersion.WithResource("resourceslices")
	var attributes admission.Attributes
	switch {
	case r.old == nil:
		attributes = admission.NewAttributesRecord(r.new, nil, kind, "", r.new.Name, resource, "", admission.Create, &metav1.CreateOptions{}, false, who)
	case r.new == nil:
		attributes = admission.NewAttributesRecord(nil, r.old, kind, "", r.old.Name, resource, "", admission.Delete, &metav1.DeleteOptions{}, false, who)
	default:
		attributes = admission.NewAttributesRecord(r.new, r.old, kind, "", r.old.Name, resource, "", admission.Update, &metav1.UpdateOptions{}, false, who)
	}
	versioned, err := admission.NewVersionedAttributes(attributes, kind, admission.NewObjectInterfacesFromScheme(scheme.Scheme))
	g.Expect(err).NotTo(HaveOccurred())
	return versioned
}

// denial returns the reason why the policy denies a request, or "" if it does
// not.
func (p policy) denial(r request) string {
	attributes := r.attributes(p.g)
	evaluate := func(compiled plugincel.ConditionEvaluator) []any {
		sent := plugincel.CreateAdmissionRequest(attributes.Attributes, metav1.GroupVersionResource(attributes.GetResource()), metav1.GroupVersionKind(attributes.VersionedKind))
		results, _, err := compiled.ForInput(context.Background(), attributes, sent, plugincel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
		p.g.Expect(err).NotTo(HaveOccurred())
		var values []any
		for _, result := range results {
			p.g.Expect(result.Error).NotTo(HaveOccurred())
			values = append(values, result.EvalResult.Value())
		}
		return values
	}
	for _, matches := range evaluate(p.conditions) {
		if matches == false {
			return ""
		}
	}
	messages := evaluate(p.messages)
	for i, accepted := range evaluate(p.checks) {
		if accepted == true {
			continue
		}
		if text := messages[i].(string); text != "" {
			return text
		}
		return p.spec.Validations[i].Message
	}
	return ""
}
