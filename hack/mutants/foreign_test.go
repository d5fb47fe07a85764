// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/hack/internal/foreign"
)

func loadForeign(g Gomega) catalogue {
	all, err := load(foreignData, foreignComponents, specs.All(), nil)
	g.Expect(err).NotTo(HaveOccurred())
	return all
}

// faultsOf returns the names of the faults in foreign.yaml by driver.
func faultsOf(all catalogue) map[string][]string {
	of := map[string][]string{}
	for _, f := range all.Faults {
		of[f.Broken] = append(of[f.Broken], f.Name)
	}
	return of
}

// mapKeys returns the keys of a map in a file, which are string literals.
func mapKeys(g Gomega, path, variable string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	g.Expect(err).NotTo(HaveOccurred())
	var keys []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); !ok || s.Names[0].Name != variable {
			return true
		}
		for _, element := range n.(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts {
			key, err := strconv.Unquote(element.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			g.Expect(err).NotTo(HaveOccurred())
			keys = append(keys, key)
		}
		return false
	})
	return keys
}

func TestForeignFaultsExistInTheCode(t *testing.T) {
	g := NewWithT(t)
	of := faultsOf(loadForeign(g))
	g.Expect(slices.Collect(maps.Keys(hooks(t, "fakedriver")))).To(ContainElements(of[fakeDriver]))
	g.Expect(of[testDriver]).To(ConsistOf(mapKeys(g, filepath.Join(root, foreign.VendorsModule, "faulty", "faults.go"), "faults")))
	g.Expect(len(of[fakeDriver]) + len(of[testDriver])).To(BeNumerically(">=", 20))
}

// Each installation has names of its own, so that a driver finds nothing on the
// nodes that one with another fault has left.
func TestInstallationsOfForeignDrivers(t *testing.T) {
	for _, f := range loadForeign(NewWithT(t)).Faults {
		t.Run(f.Name, func(t *testing.T) {
			g := NewWithT(t)
			i, err := breakable[f.Broken].installation(root, t.TempDir(), f.Name, f.Name)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(validation.IsDNS1123Label(i.Namespace)).To(BeEmpty())
			g.Expect(len(i.Name)).To(BeNumerically("<=", 63), "the limit of driver names")
			for _, object := range i.objects {
				of, err := meta.Accessor(object)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(of.GetName()+of.GetNamespace()).To(ContainSubstring(f.Name), "the name of a %T", object)
				if set, ok := object.(*appsv1.DaemonSet); ok {
					g.Expect(set.Name).To(Equal(i.DaemonSet))
					container := set.Spec.Template.Spec.Containers[0]
					g.Expect(container.Image).To(Equal(breakable[f.Broken].image.Ref))
					g.Expect(container.Args).To(ContainElement("--driver-name=" + i.Name))
					g.Expect(selected(container)).To(Equal(f.Name))
				}
			}
			described, err := driverfile.Read(i.file)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(described[0].Name).To(Equal(i.Name))
			g.Expect([]string{described[0].DaemonSet.Namespace, described[0].DaemonSet.Name}).To(Equal([]string{i.Namespace, i.DaemonSet}))
		})
	}
}

// selected returns the fault of a container.
func selected(container corev1.Container) string {
	for _, arg := range container.Args {
		if fault, ok := strings.CutPrefix(arg, "--fault="); ok {
			return fault
		}
	}
	for _, variable := range container.Env {
		if variable.Name == "DRACONFORM_FAULT" {
			return variable.Value
		}
	}
	return ""
}

// The driver files and manifests must not offer specs more than a vendor's: the fault has to be found by what containers, the API and the plugin
// itself show.
func TestForeignFaultsNeedNoControl(t *testing.T) {
	g := NewWithT(t)
	possible := []env.Need{env.NeedsNodeAgent, env.NeedsDriverRestart, env.NeedsNodes, env.NeedsClaimsInUse, env.NeedsOwnNamespace}
	for _, f := range loadForeign(g).Faults {
		driver, err := breakable[f.Broken].installation(root, t.TempDir(), f.Name, f.Name)
		g.Expect(err).NotTo(HaveOccurred())
		with, err := neighbour.installation(root, t.TempDir(), "boards", "")
		g.Expect(err).NotTo(HaveOccurred())
		described, err := driverfile.Read(driver.file, with.file)
		g.Expect(err).NotTo(HaveOccurred())
		of, err := subject.Of(described...)
		g.Expect(err).NotTo(HaveOccurred())
		for _, id := range f.Specs {
			spec := specs.All()[slices.IndexFunc(specs.All(), func(s suite.Spec) bool { return s.ID == id })]
			for _, need := range spec.Needs {
				g.Expect(possible).To(ContainElement(need), "%s: %s", f.Name, id)
			}
			for _, kind := range spec.Kinds {
				_, ok := of.DeviceOf(kind)
				g.Expect(ok).To(BeTrue(), "%s: %s needs devices of the kind %s", f.Name, id, kind)
			}
			g.Expect(spec.MinNodes).To(BeNumerically("<=", loadForeign(g).Workers), id)
		}
	}
}

func TestFakeDriverOfAVendorIsDescribedAsOurs(t *testing.T) {
	g := NewWithT(t)
	ours, err := driverfile.Read(filepath.Join(root, "e2e", "subject", "fakes", "mig.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	vendors, err := driverfile.Read(filepath.Join(root, breakable[fakeDriver].file))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(vendors[0].Roles.Exclusive.Device).To(Equal(ours[0].Roles.Exclusive.Device))
	g.Expect(vendors[0].Containers).To(Equal(ours[0].Containers))
	manifest, err := os.ReadFile(filepath.Join(root, breakable[fakeDriver].manifest))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(manifest)).NotTo(ContainSubstring("draconform"))
}

// foreignStub returns drivers that are not installed, and the names of those that
// should be. The draconform command is a script.
func foreignStub(t *testing.T, script string) (f *foreignDrivers, installed *[]string) {
	t.Helper()
	installed = &[]string{}
	return &foreignDrivers{
		cluster: stub(t, script), root: root, with: "boards.yaml",
		use: func(_ context.Context, i installation) (func(context.Context) error, error) {
			*installed = append(*installed, i.Name)
			return func(context.Context) error { *installed = append(*installed, "removed "+i.Name); return nil }, nil
		},
	}, installed
}

// passing is a command whose spec passes with drivers without a fault, and
// otherwise has the outcome of an environment variable.
const passing = `
for dir; do :; done
mkdir -p "$dir/run-1"
outcome=passed
case "$*" in *without-fault*) ;; *) outcome=$FAKE_OUTCOME;; esac
cat > "$dir/run-1/report.yaml" <<END
apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: run-1}
specs: [{id: s1, outcome: $outcome, reason: "seen: bad"}]
verdict: {result: $outcome}
END
echo "$@"
`

func TestForeignFaults(t *testing.T) {
	t.Setenv("FAKE_OUTCOME", "failed")
	g := NewWithT(t)
	f, installed := foreignStub(t, passing)
	a, b := ofDriver("a", "s1"), ofDriver("b", "s1")
	a.Broken, b.Broken = testDriver, fakeDriver
	outcomes, err := (&runner{trial: f}).runFaults(t.Context(), []fault{b, a})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*installed).To(Equal([]string{
		"without-fault-fakedriver.example.com", "removed without-fault-fakedriver.example.com",
		"without-fault-test-driver.example.com", "removed without-fault-test-driver.example.com",
		"b.example.com", "removed b.example.com", "a.example.com", "removed a.example.com",
	}))
	g.Expect(outcomes).To(HaveLen(2))
	g.Expect(outcomes[0].verdict).To(Equal(detected), outcomes[0].reason)
	output, err := os.ReadFile(filepath.Join(f.Dir, "a", "output.log"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.TrimSpace(string(output))).To(Equal("run --provider existing --kubeconfig  --context kind-c --kind-cluster c --node-agent --driver " +
		filepath.Join(f.Dir, "a.yaml") + " --driver boards.yaml --focus ^(s1)$ --timeout-scale 1.5 --artifacts " + filepath.Join(f.Dir, "a")))
}

func TestForeignFaultThatIsNotFound(t *testing.T) {
	t.Setenv("FAKE_OUTCOME", "passed")
	g := NewWithT(t)
	f, _ := foreignStub(t, passing)
	a := ofDriver("a", "s1")
	a.Broken = testDriver
	outcomes, err := (&runner{trial: f}).runFaults(t.Context(), []fault{a})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomes[0].verdict).To(Equal(undetected))
	g.Expect(failed(outcomes)).To(BeTrue())
}

func TestForeignDriverMustPassWithoutAFault(t *testing.T) {
	g := NewWithT(t)
	f, installed := foreignStub(t, writeReport)
	a := ofDriver("a", "s1", "s2")
	a.Broken = testDriver
	outcomes, err := (&runner{trial: f}).runFaults(t.Context(), []fault{a})
	g.Expect(err).To(MatchError("test-driver: without a fault, s1 is \"failed\": because\nwithout a fault, s2 is \"\": "))
	g.Expect(outcomes).To(BeEmpty())
	g.Expect(*installed).To(HaveLen(2), "it is removed, and the fault is not tried")
}

func TestForeignDriverThatIsNotInstalledIsRemoved(t *testing.T) {
	g := NewWithT(t)
	f, _ := foreignStub(t, passing)
	removed := false
	f.use = func(context.Context, installation) (func(context.Context) error, error) {
		return func(context.Context) error { removed = true; return nil }, errors.New("not published")
	}
	_, err := f.judge(t.Context(), "a", testDriver, "a", []string{"s1"})
	g.Expect(err).To(MatchError("not published"))
	g.Expect(removed).To(BeTrue())
}
