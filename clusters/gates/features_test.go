// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/featuregate"

	"github.com/draconform/draconform/clusters"
)

// features contains the definitions in pkg/features/kube_features.go of a release.
type features struct {
	specs map[featuregate.Feature]featuregate.VersionedSpecs
	// needs is nil if the release defines no dependencies between feature gates, as before 1.35.
	needs map[featuregate.Feature][]featuregate.Feature
}

// featuresOf reads the definitions from the release's source code. In releases before 1.32, the gates of DRA have no
// versions: they are as the release is. 1.32 has those with versions in a file of their own.
func featuresOf(t *testing.T, r clusters.Release) features {
	t.Helper()
	g := NewWithT(t)
	m := moduleOf(t, r)
	f := m.parse(t, "pkg/features/kube_features.go")
	consts, vars := values(f, token.CONST), values(f, token.VAR)
	in132 := r.Minor == "1.32"
	if in132 {
		vars = values(m.parse(t, "pkg/features/versioned_kube_features.go"), token.VAR)
	}
	// The name of a gate of another package equals the name of its constant.
	name := func(e ast.Expr) featuregate.Feature {
		if value, ok := consts[lastName(e)]; ok {
			return featuregate.Feature(literal(t, value))
		}
		return featuregate.Feature(lastName(e))
	}
	result := features{specs: map[featuregate.Feature]featuregate.VersionedSpecs{}}
	if unversioned, ok := vars["defaultKubernetesFeatureGates"]; ok {
		each(t, unversioned, func(key, value ast.Expr) {
			only := spec(t, value)
			only.Version = version.MustParse("0.0")
			result.specs[name(key)] = featuregate.VersionedSpecs{only}
		})
	} else {
		each(t, vars["defaultVersionedKubernetesFeatureGates"], func(key, value ast.Expr) {
			for _, element := range value.(*ast.CompositeLit).Elts {
				result.specs[name(key)] = append(result.specs[name(key)], spec(t, element))
			}
		})
	}
	// Since 1.33, gates state what they were before they were deprecated. None of DRA was.
	maps.DeleteFunc(result.specs, func(_ featuregate.Feature, specs featuregate.VersionedSpecs) bool {
		return in132 && specs[0].PreRelease == featuregate.Deprecated
	})
	g.Expect(len(result.specs)).To(BeNumerically(">", 100), "the feature gates of Kubernetes %s", r)
	dependencies, ok := vars["defaultKubernetesFeatureGateDependencies"]
	if !ok {
		return result
	}
	result.needs = map[featuregate.Feature][]featuregate.Feature{}
	each(t, dependencies, func(key, value ast.Expr) {
		result.needs[name(key)] = nil
		for _, need := range value.(*ast.CompositeLit).Elts {
			result.needs[name(key)] = append(result.needs[name(key)], name(need))
		}
	})
	return result
}

// stages are specs with only a stage, because the type of a stage is not exported.
var stages = map[string]featuregate.FeatureSpec{
	"Alpha":      {PreRelease: featuregate.Alpha},
	"Beta":       {PreRelease: featuregate.Beta},
	"GA":         {PreRelease: featuregate.GA},
	"Deprecated": {PreRelease: featuregate.Deprecated},
}

// spec parses one featuregate.FeatureSpec.
func spec(t *testing.T, e ast.Expr) featuregate.FeatureSpec {
	t.Helper()
	parsed := featuregate.FeatureSpec{}
	each(t, e, func(key, value ast.Expr) {
		switch field := lastName(key); field {
		case "Version":
			parsed.Version = versionOf(t, value)
		case "MinCompatibilityVersion":
			parsed.MinCompatibilityVersion = versionOf(t, value)
		case "Default":
			parsed.Default = lastName(value) == "true"
		case "LockToDefault":
			parsed.LockToDefault = lastName(value) == "true"
		case "PreRelease":
			stage, ok := stages[lastName(value)]
			NewWithT(t).Expect(ok).To(BeTrue(), "unknown stage %s", lastName(value))
			parsed.PreRelease = stage.PreRelease
		default:
			t.Fatalf("featuregate.FeatureSpec has a field %s that this test does not know", field)
		}
	})
	return parsed
}

// versionOf parses version.MustParse("1.37").
func versionOf(t *testing.T, e ast.Expr) *version.Version {
	t.Helper()
	g := NewWithT(t)
	v, err := version.ParseMajorMinor(literal(t, e))
	g.Expect(err).NotTo(HaveOccurred())
	return v
}

// gate returns Kubernetes' own feature gate with all definitions of the release, in the state in which its components
// start. If compat is empty, it uses the default --min-compatibility-version of components.
func (f features) gate(t *testing.T, r clusters.Release, compat string) featuregate.MutableVersionedFeatureGate {
	t.Helper()
	g := NewWithT(t)
	own := version.MustParse(r.Minor)
	gate := featuregate.NewVersionedFeatureGate(own)
	if compat != "" {
		g.Expect(gate.SetEmulationVersionAndMinCompatibilityVersion(own, version.MustParse(compat))).To(Succeed())
	}
	g.Expect(gate.AddVersioned(f.specs)).To(Succeed())
	// Dependencies mention gates that client-go and other packages register.
	needs := map[featuregate.Feature][]featuregate.Feature{}
	elsewhere := func(name featuregate.Feature) bool { return f.specs[name] == nil }
	for name, all := range f.needs {
		if !elsewhere(name) {
			needs[name] = slices.DeleteFunc(slices.Clone(all), elsewhere)
		}
	}
	g.Expect(gate.AddDependencies(needs)).To(Succeed())
	return gate
}
