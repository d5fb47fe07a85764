// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/versions"
)

// table is an object, and changes of it. The API server must accept the object as it
// is, so that only the change explains why it rejects a changed one.
type table struct {
	// Name describes the object.
	Name string
	// Kind and Spec are those of the object. Status is that of a claim.
	Kind   string
	Spec   map[string]any
	Status map[string]any
	// Changes are changes of the status of the object, if it has one, or else of its
	// spec.
	Changes []change
}

// written writes a part of an object in a dry run, and returns what the API server
// would store of this part.
type written func(ctx context.Context, part map[string]any) (stored any, err error)

// ExpectCreations asserts how the API server handles the objects of the tables in a
// file, and each of them with one change, when they are created. It reports all problems
// at once.
func ExpectCreations(ctx context.Context, e *env.Env, files embed.FS, file string) {
	ginkgo.GinkgoHelper()
	expectTables(e, files, file, func(_ int, t table) []string {
		return t.check(ctx, "creating", "spec", t.Spec, func(ctx context.Context, spec map[string]any) (any, error) {
			stored, err := env.DryRunCreate(ctx, e, t.Kind, spec)
			return stored["spec"], err
		})
	})
}

// ExpectUpdates asserts how the API server handles updates of the objects of the tables
// in a file, each with one change. It creates the objects. DRIVER in the file stands for a
// driver that only one spec has. It reports all problems at once.
func ExpectUpdates(ctx context.Context, e *env.Env, files embed.FS, file string) {
	ginkgo.GinkgoHelper()
	expectTables(e, files, file, func(i int, t table) []string {
		return t.update(ctx, versions.Of(e, versions.V1), fmt.Sprintf("%s-%d", e.UniqueName(), i))
	})
}

// expectTables asserts that there are no problems with the tables of a file.
func expectTables(e *env.Env, files embed.FS, file string, problemsOf func(int, table) []string) {
	ginkgo.GinkgoHelper()
	content, err := files.ReadFile("data/" + file)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var all []table
	text := strings.ReplaceAll(string(content), "DRIVER", simulated.DriverNames(e)[0])
	gomega.Expect(yaml.UnmarshalStrict([]byte(text), &all)).To(gomega.Succeed(), file)
	var problems []string
	for i, t := range all {
		problems = append(problems, problemsOf(i, t)...)
	}
	// Gomega truncates long lists.
	if len(problems) > 0 {
		ginkgo.Fail("the API server should accept and reject objects as documented:\n" + strings.Join(problems, "\n"))
	}
}

// update creates the object of a table, updates its status or its spec in dry runs, and
// deletes it. It returns what is wrong with the API server's handling of the updates.
func (t table) update(ctx context.Context, api versions.API, name string) (problems []string) {
	fail := func(err error) []string { return append(problems, t.Name+": "+err.Error()) }
	created, err := api.Create(ctx, t.Kind, name, t.Spec)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err := api.Delete(ctx, t.Kind, name); err != nil {
			problems = fail(err)
		}
	}()
	part, values, subresource := "spec", t.Spec, ""
	if t.Status != nil {
		part, values, subresource = "status", t.Status, "status"
	}
	problems = t.check(ctx, "updating", part, values, func(ctx context.Context, values map[string]any) (any, error) {
		stored, err := api.DryRunUpdate(ctx, t.Kind, name, subresource, func(o versions.Object) { o[part] = values })
		return stored[part], err
	})
	after, err := api.Get(ctx, t.Kind, name)
	switch {
	case err != nil:
		return fail(err)
	case !equality.Semantic.DeepEqual(after["spec"], created["spec"]):
		return fail(errors.New("its spec is not as it was created"))
	}
	return problems
}

// check writes a part of the object of a table, as it is and with each change. It
// returns what is wrong with the API server's handling of that.
func (t table) check(ctx context.Context, how, part string, values map[string]any, write written) []string {
	var problems []string
	for _, c := range append([]change{{}}, t.Changes...) {
		what := strings.TrimSuffix(t.Name+" with "+c.Name, " with ")
		ginkgo.By(how + " as a dry run: " + what)
		if problem := c.check(ctx, part, values, write); problem != "" {
			problems = append(problems, what+": "+problem)
		}
	}
	return problems
}

// check returns what is wrong with the API server's handling of a change, or an empty
// string.
func (c change) check(ctx context.Context, part string, values map[string]any, write written) string {
	changed, err := c.apply(values)
	if err != nil {
		return err.Error()
	}
	stored, err := write(ctx, changed)
	if c.Rejected == "" && err == nil {
		return Missing(part, changed, stored)
	}
	return judge(err, c.Rejected)
}

// judge returns what is wrong with an error of the API server, which must be about a
// field. Without a field there must be none.
func judge(err error, field string) string {
	switch {
	case field == "" && err != nil:
		return fmt.Sprintf("should be accepted: %v", err)
	case field != "" && err == nil:
		return fmt.Sprintf("is accepted, and should be rejected because of %s", field)
	case field != "" && !slices.ContainsFunc(InvalidFields(err), func(of string) bool { return strings.HasPrefix(of, field) }):
		return fmt.Sprintf("should be rejected because of %s: %v", field, err)
	}
	return ""
}
