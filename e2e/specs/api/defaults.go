// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/versions"
)

// defaulted is an object with fields that have defaults.
type defaulted struct {
	// Name describes the object.
	Name string
	// Kind and Spec are those in v1.
	Kind string
	Spec map[string]any
	// Adds are the values that the API server must add, each with the name of its
	// field. It must not add others, except for fields that only newer API servers have.
	Adds []string
	// Gated is the name of a field that depends on a feature gate. The API server may
	// drop it, or reject the object if it means nothing without it.
	Gated string
}

// expectDefaults asserts which values the API server adds to the objects of
// defaults.yaml when they are created in a version. It reports all problems at once.
func expectDefaults(ctx context.Context, e *env.Env, version string) {
	ginkgo.GinkgoHelper()
	var problems []string
	for _, d := range fixture.ReadList[defaulted](data, "defaults.yaml") {
		ginkgo.By("creating as a dry run: " + d.Name)
		if problem := d.check(ctx, e, version); problem != "" {
			problems = append(problems, d.Name+": "+problem)
		}
	}
	// Gomega truncates long lists.
	if len(problems) > 0 {
		ginkgo.Fail("the API server should set the defaults of fields in " + version + ", and nothing else:\n" + strings.Join(problems, "\n"))
	}
}

// check returns what is wrong with what the API server adds to an object, or an empty
// string.
func (d defaulted) check(ctx context.Context, e *env.Env, version string) string {
	spec := d.Spec
	if version == versions.V1beta1 {
		spec = flattened(spec)
	}
	created, err := versions.Of(e, version).DryRunCreate(ctx, d.Kind, e.UniqueName()+"-try", spec)
	stored := withoutUnknown(leaves(created["spec"]))
	switch {
	case d.Gated != "" && apierrors.IsInvalid(err):
		return ""
	case err != nil:
		return err.Error()
	case d.Gated != "" && !strings.Contains(toText(created["spec"]), `"`+d.Gated+`"`):
		return ""
	}
	want := append(leaves(spec), d.Adds...)
	slices.Sort(want)
	if problem := differ(want, stored); problem != "" {
		return fmt.Sprintf("it should have %q, and has %s", want, problem)
	}
	return ""
}

// flattened returns the spec of a claim or of a template in v1beta1, where the fields of
// exactly are fields of the request.
func flattened(spec map[string]any) map[string]any {
	flat := maps.Clone(spec)
	if inner, ok := spec["spec"].(map[string]any); ok {
		flat["spec"] = flattened(inner)
		return flat
	}
	var requests []any
	for _, request := range spec["devices"].(map[string]any)["requests"].([]any) {
		request := maps.Clone(request.(map[string]any))
		if exactly, ok := request["exactly"].(map[string]any); ok {
			delete(request, "exactly")
			maps.Copy(request, exactly)
		}
		requests = append(requests, request)
	}
	flat["devices"] = map[string]any{"requests": requests}
	return flat
}

// claimFields are the names of the fields of claims that this program knows.
var claimFields = fieldNames(reflect.TypeFor[resourceapi.ResourceClaimSpec](), sets.New[string]())

// fieldNames adds the names of the fields of a type in JSON, and of the types of its fields.
func fieldNames(of reflect.Type, names sets.Set[string]) sets.Set[string] {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return fieldNames(of.Elem(), names)
	case reflect.Struct:
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && name != "-" {
				fieldNames(field.Type, names.Insert(name))
			}
		}
	default: // It has no fields.
	}
	return names
}

// withoutUnknown returns the values of fields that this program knows. Newer API servers may
// have more fields with defaults.
func withoutUnknown(all []string) []string {
	return slices.DeleteFunc(all, func(leaf string) bool {
		name, _, _ := strings.Cut(leaf, ":")
		return !claimFields.Has(name)
	})
}
