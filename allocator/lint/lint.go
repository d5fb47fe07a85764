// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lint checks ResourceSlices, DeviceClasses, ResourceClaims and ResourceClaimTemplates without a cluster:
// against the validation of the API, against the allocator's requirements for pools, and for valid contents with
// surprising effects.
//
// The limits and the validation are those of Kubernetes 1.37 (k8s.io/api/resource/v1) with all of its features
// enabled.
package lint

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/internal/rules"
)

// Severity is the severity of a finding.
type Severity string

const (
	// Error means that an API server rejects the object, or that the allocator cannot use the pool.
	Error Severity = "error"
	// Warning means that the object is valid, but probably does not have the intended effect.
	Warning Severity = "warning"
)

// Finding is one violation of a rule.
type Finding struct {
	// Rule is the ID of the rule.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// File and Document (from 1) are where the object was read. They are empty for an object from a cluster.
	File     string `json:"file,omitempty"`
	Document int    `json:"document,omitempty"`
	// Kind, Namespace and Name identify the object.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Path is the field in the object, such as spec.devices[3].name.
	Path string `json:"path"`
	// Message describes the violation.
	Message string `json:"message"`
	// Number and Limit are set if a limit is exceeded.
	Number int `json:"number,omitempty"`
	Limit  int `json:"limit,omitempty"`

	origin state.Origin
}

// String returns the finding as one line.
func (f Finding) String() string {
	name := f.Name
	if f.Namespace != "" {
		name = f.Namespace + "/" + name
	}
	return fmt.Sprintf("%s: %s: %s %s: %s: %s (%s)", f.origin, f.Severity, f.Kind, name, f.Path, f.Message, f.Rule)
}

// Check applies all rules and returns their findings in the order of the objects, and for each object in the order
// of the rules. The error is that of the context.
func Check(ctx context.Context, objects *state.Objects) ([]Finding, error) {
	p := newPass(ctx, objects)
	for i := range allRules {
		p.rule = &allRules[i]
		p.rule.check(p)
		if err := ctx.Err(); err != nil { // A canceled evaluation of an expression is not a finding.
			return nil, fmt.Errorf("lint: %w", err)
		}
	}
	slices.SortStableFunc(p.found, func(a, b positioned) int { return cmp.Compare(a.position, b.position) })
	findings := make([]Finding, len(p.found))
	for i := range p.found {
		findings[i] = p.found[i].Finding
	}
	return findings, nil
}

// place is a field of an object.
type place struct {
	object metav1.Object
	path   *field.Path
}

func (at place) child(name string, more ...string) place {
	return place{at.object, at.path.Child(name, more...)}
}
func (at place) index(i int) place     { return place{at.object, at.path.Index(i)} }
func (at place) key(name string) place { return place{at.object, at.path.Key(name)} }

type positioned struct {
	Finding
	position int
}

// pass is one application of the rules to objects.
type pass struct {
	ctx      context.Context
	objects  *state.Objects
	pools    []*rules.Pool
	compiler compiler
	rule     *Rule
	found    []positioned
}

func newPass(ctx context.Context, objects *state.Objects) *pass {
	return &pass{ctx: ctx, objects: objects, pools: rules.Pools(objects.Slices), compiler: newCompiler(objects.Slices)}
}

// report adds a finding of the current rule.
func (p *pass) report(at place, format string, args ...any) *Finding {
	origin := p.objects.Origin(at.object)
	p.found = append(p.found, positioned{
		Finding: Finding{
			Rule: p.rule.ID, Severity: p.rule.Severity,
			File: origin.File, Document: origin.Document, origin: origin,
			Kind: kindOf(at.object), Namespace: at.object.GetNamespace(), Name: at.object.GetName(),
			Path: at.path.String(), Message: fmt.Sprintf(format, args...),
		},
		position: p.objects.Position(at.object),
	})
	return &p.found[len(p.found)-1].Finding
}

// atMost reports a number that exceeds its limit.
func (p *pass) atMost(at place, number, limit int, of string) {
	if err := rules.AtMost(number, limit, of); err != nil {
		f := p.report(at, "%v", err)
		f.Number, f.Limit = number, limit
	}
}
