// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/versions"
)

// object is an object that the API server must keep completely, and have with the
// same content in every version.
type object struct {
	// Name describes the object.
	Name string
	// Kind, Spec and Status are those in v1. Status is written in a dry run.
	Kind   string
	Spec   map[string]any
	Status map[string]any
	// Gated are the names of fields that depend on feature gates. The API server may
	// drop them, or reject the object if it means nothing without them. Whether it
	// must keep them is the matter of the specs of these features.
	Gated []string
}

// expectFields asserts what the API server stores of the objects of fields.yaml in
// v1, and that another version has the same, unless it is v1. It reports all
// problems at once.
func expectFields(ctx context.Context, e *env.Env, version string) {
	ginkgo.GinkgoHelper()
	namespaces.AllowAdminAccess(ctx, e)
	content, err := data.ReadFile("data/fields.yaml")
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	text := strings.NewReplacer("DRIVER", simulated.DriverNames(e)[0], "NOWHERE", e.UniqueName()+"-nowhere").Replace(string(content))
	var all []object
	gomega.Expect(yaml.UnmarshalStrict([]byte(text), &all)).To(gomega.Succeed())
	var problems []string
	for i, o := range all {
		ginkgo.By("writing " + o.Name)
		if problem := o.check(ctx, e, fmt.Sprintf("%s-%d", e.UniqueName(), i), version); problem != "" {
			problems = append(problems, o.Name+": "+problem)
		}
	}
	// Gomega truncates long lists.
	if len(problems) > 0 {
		ginkgo.Fail("the API server should keep all fields of objects, in " + version + " as in v1:\n" + strings.Join(problems, "\n"))
	}
}

// check returns what is wrong with the API server's handling of an object, or an
// empty string. name is the name of the object.
func (o object) check(ctx context.Context, e *env.Env, name, version string) string {
	v1, other := versions.Of(e, versions.V1), versions.Of(e, version)
	written, err := o.write(ctx, v1, other, name, o.Spec)
	switch {
	case len(o.Gated) > 0 && apierrors.IsInvalid(err):
		return ""
	case err != nil:
		return err.Error()
	case version == versions.V1:
		return cmp.Or(o.missing("spec", o.Spec, written.otherSpec), o.missing("status", o.Status, written.status))
	}
	if problem := differ(leaves(written.spec), leaves(written.otherSpec)); problem != "" {
		return "its spec is written in v1, and in " + version + " it has " + problem
	}
	back, err := o.write(ctx, other, v1, name+"-again", written.otherSpec)
	switch {
	case err != nil:
		return err.Error()
	case !equality.Semantic.DeepEqual(back.otherSpec, written.spec):
		return fmt.Sprintf("its spec is written in %s as it was read, and in v1 it is\n%s\ninstead of\n%s", version, toText(back.otherSpec), toText(written.spec))
	case !equality.Semantic.DeepEqual(back.status, written.status):
		return fmt.Sprintf("its status is written in %s, and is\n%s\ninstead of\n%s", version, toText(back.status), toText(written.status))
	}
	return ""
}

// content is what an API server stores of an object.
type content struct {
	// spec and status are those in the version in which the object was written, and
	// otherSpec is the spec in another one.
	spec, otherSpec, status any
}

// write creates an object in a version, reads it in another one, writes its status
// as a dry run, and deletes it.
func (o object) write(ctx context.Context, in, other versions.API, name string, spec any) (stored content, err error) {
	created, err := in.Create(ctx, o.Kind, name, spec)
	if err != nil {
		return stored, err
	}
	defer func() { err = errors.Join(err, in.Delete(ctx, o.Kind, name)) }()
	read, err := other.Get(ctx, o.Kind, name)
	if err != nil {
		return stored, err
	}
	stored.spec, stored.otherSpec = created["spec"], read["spec"]
	if o.Status != nil {
		updated, err := in.DryRunUpdateStatus(ctx, name, o.Status)
		if err != nil {
			return stored, err
		}
		stored.status = updated["status"]
	}
	return stored, nil
}

// missing returns a description of the first part of an object that is not stored as
// written, except for gated fields that are missing.
func (o object) missing(path string, written map[string]any, stored any) string {
	if written == nil {
		return ""
	}
	return dryrun.Missing(path, o.without(written, stored), stored)
}

// without returns a part of an object without the gated fields that are not stored.
func (o object) without(written, stored any) any {
	switch written := written.(type) {
	case map[string]any:
		actual, _ := stored.(map[string]any)
		kept := map[string]any{}
		for name, value := range written {
			if of, ok := actual[name]; ok || !slices.Contains(o.Gated, name) {
				kept[name] = o.without(value, of)
			}
		}
		return kept
	case []any:
		actual, _ := stored.([]any)
		if len(actual) != len(written) {
			return written
		}
		kept := make([]any, len(written))
		for i, value := range written {
			kept[i] = o.without(value, actual[i])
		}
		return kept
	}
	return written
}

// leaves returns the values in a part of an object that have no parts, each with the
// name of its field, except empty ones. Their paths differ between versions.
func leaves(part any) []string {
	var all []string
	var collect func(name string, part any)
	collect = func(name string, part any) {
		switch part := part.(type) {
		case map[string]any:
			for field, value := range part {
				collect(field, value)
			}
		case []any:
			for _, value := range part {
				collect(name, value)
			}
		case nil:
		default:
			// In v1beta1, a request has an empty class in addition to its alternatives.
			if part != "" {
				all = append(all, fmt.Sprintf("%s: %v", name, part))
			}
		}
	}
	collect("", part)
	slices.Sort(all)
	return all
}

// differ states in which values two lists differ. It is empty if they do not.
func differ(want, got []string) string {
	lack := func(from, in []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(one string) bool { return slices.Contains(in, one) })
	}
	switch missing, more := lack(want, got), lack(got, want); {
	case len(missing)+len(more) > 0:
		return fmt.Sprintf("not %q, and in addition %q", missing, more)
	case len(want) != len(got):
		return fmt.Sprintf("%d values instead of %d", len(got), len(want))
	}
	return ""
}

func toText(part any) string {
	text, err := json.Marshal(part)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
