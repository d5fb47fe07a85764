// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
)

// TestTableServes compares the APIs that gates need with the APIs that a release's components watch and the release
// does not serve by default.
func TestTableServes(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		g := NewWithT(t)
		m := moduleOf(t, r)
		off := disabledByDefault(t, m)
		g.Expect(off).To(HaveKey(HavePrefix("resource.k8s.io/v1")), "it is read from instance.go")
		want := map[string]bool{}
		for used := range watched(t, m) {
			// CompositePodGroup belongs to a feature that no DRA gate needs.
			if off[path.Dir(used)] && path.Base(used) != "compositepodgroups" {
				want[used] = true
			}
		}
		got := map[string]bool{}
		for _, row := range gatesOf(r.Minor) {
			for _, resource := range row.serves[r.Minor].resources {
				got[row.serves[r.Minor].groupVersion+"/"+resource] = true
			}
		}
		g.Expect(got).To(Equal(want))
	})
}

// TestTableOnlyListsStoredAPIs checks that the API server can serve the APIs that gates need.
func TestTableOnlyListsStoredAPIs(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		m := moduleOf(t, r)
		storage := m.read(t, "pkg/registry/resource/rest/storage_resource.go") +
			m.read(t, "pkg/registry/scheduling/rest/storage_scheduling.go")
		for _, row := range gatesOf(r.Minor) {
			needed := row.serves[r.Minor]
			for _, resource := range needed.resources {
				NewWithT(t).Expect(storage).To(MatchRegexp(
					`resource := "%s"; apiResourceConfigSource\.ResourceEnabled\(\w+%s\.SchemeGroupVersion`,
					resource, path.Base(needed.groupVersion)), "%s of %s", resource, row.name)
			}
		}
	})
}

// disabledByDefault reads the API group versions that are not served by default from pkg/controlplane/instance.go.
func disabledByDefault(t *testing.T, m module) map[string]bool {
	t.Helper()
	f := m.parse(t, "pkg/controlplane/instance.go")
	packages := map[string]string{}
	for _, i := range f.Imports {
		if i.Name != nil {
			packages[i.Name.Name] = literal(t, i.Path)
		}
	}
	disabled := map[string]bool{}
	for name, value := range values(f, token.VAR) {
		list, ok := value.(*ast.CompositeLit)
		if !ok || !strings.HasSuffix(name, "DisabledByDefault") {
			continue
		}
		for _, element := range list.Elts {
			imported := packages[lastName(element.(*ast.SelectorExpr).X)] // k8s.io/api/resource/v1beta1
			disabled[path.Base(path.Dir(imported))+".k8s.io/"+path.Base(imported)] = true
		}
	}
	return disabled
}

var informer = regexp.MustCompile(`\.(Resource|Scheduling)\(\)\.(V\w+)\(\)\.([A-Z]\w+)\(\)`)

// watched returns the informers for the two API groups in the control plane, as group/version/resource.
func watched(t *testing.T, m module) map[string]bool {
	t.Helper()
	g := NewWithT(t)
	found := map[string]bool{}
	for _, dir := range []string{"cmd/kube-controller-manager/app", "pkg/scheduler", "plugin/pkg/admission"} {
		g.Expect(filepath.WalkDir(filepath.Join(m.dir, dir), func(p string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			for _, match := range informer.FindAllStringSubmatch(string(content), -1) {
				found[strings.ToLower(match[1]+".k8s.io/"+match[2]+"/"+match[3])] = true
			}
			return nil
		})).To(Succeed())
	}
	return found
}
