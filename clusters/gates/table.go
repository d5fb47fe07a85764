// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"slices"
	"strings"
)

// Stage is the maturity of a feature gate in one release, in the spelling of Kubernetes.
type Stage string

// The stages of DRA gates in supported releases.
const (
	Alpha Stage = "ALPHA"
	Beta  Stage = "BETA"
	GA    Stage = "GA"
)

// state is the definition of a feature gate in one release.
type state struct {
	stage  Stage
	on     bool // the default
	locked bool // Kubernetes fails to start if the gate is not set to its default
	// compat is the --min-compatibility-version from which the default is true although on is false. The flag's
	// default is the minor release before the component's own release (component-base/compatibility/version.go). A
	// gate with its own release here is therefore off unless a cluster raises the flag. Draconform's clusters do not
	// raise it.
	compat string
}

var (
	alpha   = state{stage: Alpha}
	betaOff = state{stage: Beta}
	beta    = state{stage: Beta, on: true}
	ga      = state{stage: GA, on: true}
	locked  = state{stage: GA, on: true, locked: true}
)

// gate is one row of the table. The keys of its maps are minor releases.
type gate struct {
	name string
	// in is the gate's state in each release that has the gate (defaultVersionedKubernetesFeatureGates in
	// pkg/features/kube_features.go).
	in map[string]state
	// needs lists the gates that must be on if this gate is on (defaultKubernetesFeatureGateDependencies, same file).
	// Since 1.35, Kubernetes fails to start otherwise. In 1.34, this gate had no effect without them.
	needs []string
	// serves lists the APIs that the gate's components watch and that the release does not serve by default. A
	// scheduler or controller whose informer never syncs does not make progress, so such a gate requires the API.
	serves map[string]api
}

// api is an API group version in the format of --runtime-config, and the resources that are used from it.
type api struct {
	groupVersion string
	resources    []string
}

const dra = "DynamicResourceAllocation"

// table contains every DRA gate (see isDRA), the gates that those need, ResourceHealthStatus, which needs DRA, and
// ResourceHealthStatusMessage. It is sorted by name. TestTable compares it with the sources of each release.
var table = []gate{
	{
		name:  "DRAAdminAccess",
		in:    map[string]state{"1.32": alpha, "1.33": alpha, "1.34": beta, "1.35": beta, "1.36": locked, "1.37": locked},
		needs: []string{dra},
	}, {
		name:  "DRAConsumableCapacity",
		in:    map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
		needs: []string{dra},
	}, {
		// 1.32 removed it, together with the API that it needs.
		name:  "DRAControlPlaneController",
		in:    map[string]state{"1.31": alpha},
		needs: []string{dra},
	}, {
		name:  "DRADerivedAttributes",
		in:    map[string]state{"1.37": alpha},
		needs: []string{dra},
	}, {
		name:  "DRADeviceBindingConditions",
		in:    map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
		needs: []string{dra, "DRAResourceClaimDeviceStatus"},
	}, {
		name:  "DRADeviceCompatibilityGroups",
		in:    map[string]state{"1.37": alpha},
		needs: []string{dra, "DRAPartitionableDevices"},
	}, {
		// DeviceTaintRule is a v1 API in 1.37, which is served by default.
		name:  "DRADeviceTaintRules",
		in:    map[string]state{"1.35": alpha, "1.36": betaOff, "1.37": ga},
		needs: []string{"DRADeviceTaints"},
		serves: map[string]api{
			"1.35": {"resource.k8s.io/v1alpha3", []string{"devicetaintrules"}},
			"1.36": {"resource.k8s.io/v1beta2", []string{"devicetaintrules"}},
		},
	}, {
		// In 1.33 and 1.34 this gate also covered DeviceTaintRules.
		name:  "DRADeviceTaints",
		in:    map[string]state{"1.33": alpha, "1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": ga},
		needs: []string{dra},
		serves: map[string]api{
			"1.33": {"resource.k8s.io/v1alpha3", []string{"devicetaintrules"}},
			"1.34": {"resource.k8s.io/v1alpha3", []string{"devicetaintrules"}},
		},
	}, {
		name:  "DRAExtendedResource",
		in:    map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": locked},
		needs: []string{dra},
	}, {
		name:  "DRAFractionalCapacityRange",
		in:    map[string]state{"1.37": {stage: Beta, compat: "1.37"}},
		needs: []string{"DRAConsumableCapacity"},
	}, {
		name:  "DRAListTypeAttributes",
		in:    map[string]state{"1.36": alpha, "1.37": alpha},
		needs: []string{dra},
	}, {
		name:  "DRANodeAllocatableResources",
		in:    map[string]state{"1.36": alpha, "1.37": alpha},
		needs: []string{dra},
	}, {
		name:  "DRAOptionalNodeOperations",
		in:    map[string]state{"1.37": alpha},
		needs: []string{dra, "NodeDeclaredFeatures"},
	}, {
		name:  "DRAPartitionableDevices",
		in:    map[string]state{"1.33": alpha, "1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
		needs: []string{dra},
	}, {
		name:  "DRAPartitionableDevicesType",
		in:    map[string]state{"1.37": alpha},
		needs: []string{dra, "DRAPartitionableDevices", "DRAResourcePoolStatus"},
	}, {
		name:  "DRAPrioritizedList",
		in:    map[string]state{"1.33": alpha, "1.34": beta, "1.35": beta, "1.36": ga, "1.37": locked},
		needs: []string{dra},
	}, {
		// It has no effect without DRA. It does not depend on DRA because it was on by default in releases in which
		// DRA was off.
		name: "DRAResourceClaimDeviceStatus",
		in:   map[string]state{"1.32": alpha, "1.33": beta, "1.34": beta, "1.35": beta, "1.36": beta, "1.37": locked},
	}, {
		name:  "DRAResourceClaimGranularStatusAuthorization",
		in:    map[string]state{"1.36": beta, "1.37": beta},
		needs: []string{dra, "DRAResourceClaimDeviceStatus"},
	}, {
		name:  "DRAResourcePoolStatus",
		in:    map[string]state{"1.36": alpha, "1.37": alpha},
		needs: []string{dra},
		serves: map[string]api{
			"1.36": {"resource.k8s.io/v1alpha3", []string{"resourcepoolstatusrequests"}},
			"1.37": {"resource.k8s.io/v1alpha3", []string{"resourcepoolstatusrequests"}},
		},
	}, {
		name:  "DRASchedulerFilterTimeout",
		in:    map[string]state{"1.34": beta, "1.35": beta, "1.36": beta, "1.37": beta},
		needs: []string{dra},
	}, {
		name:  "DRAWorkloadResourceClaims",
		in:    map[string]state{"1.36": alpha, "1.37": betaOff},
		needs: []string{dra, "GenericWorkload"},
	}, {
		name: dra,
		in:   map[string]state{"1.30": alpha, "1.31": alpha, "1.32": betaOff, "1.33": betaOff, "1.34": ga, "1.35": locked, "1.36": locked, "1.37": locked},
		serves: map[string]api{
			"1.30": {"resource.k8s.io/v1alpha2", []string{
				"podschedulingcontexts", "resourceclaimparameters", "resourceclaims", "resourceclaimtemplates",
				"resourceclasses", "resourceclassparameters", "resourceslices",
			}},
			"1.31": {"resource.k8s.io/v1alpha3", []string{
				"deviceclasses", "podschedulingcontexts", "resourceclaims", "resourceclaimtemplates", "resourceslices",
			}},
			"1.32": {"resource.k8s.io/v1beta1", []string{"deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"}},
			"1.33": {"resource.k8s.io/v1beta1", []string{"deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"}},
		},
	}, {
		name: "GenericWorkload",
		in:   map[string]state{"1.35": alpha, "1.36": alpha, "1.37": betaOff},
		serves: map[string]api{
			"1.35": {"scheduling.k8s.io/v1alpha1", []string{"workloads"}},
			"1.36": {"scheduling.k8s.io/v1alpha2", []string{"podgroups", "workloads"}},
			"1.37": {"scheduling.k8s.io/v1beta1", []string{"podgroups", "workloads"}},
		},
	}, {
		name: "NodeDeclaredFeatures",
		in:   map[string]state{"1.35": alpha, "1.36": beta, "1.37": locked},
	}, {
		name:  "ResourceHealthStatus",
		in:    map[string]state{"1.31": alpha, "1.32": alpha, "1.33": alpha, "1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
		needs: []string{dra},
	}, {
		name:  "ResourceHealthStatusMessage",
		in:    map[string]state{"1.36": beta, "1.37": beta},
		needs: []string{"ResourceHealthStatus"},
	},
}

// isDRA reports whether the gate is one of DRA's own, which the sets alpha and off change.
func isDRA(name string) bool {
	return name == dra || strings.HasPrefix(name, "DRA")
}

// find returns the row of the gate in the table.
func find(name string) (gate, bool) {
	i := slices.IndexFunc(table, func(g gate) bool { return g.name == name })
	if i < 0 {
		return gate{}, false
	}
	return table[i], true
}

// gatesOf returns the rows of the gates that the minor release has.
func gatesOf(minor string) []gate {
	var known []gate
	for _, g := range table {
		if _, ok := g.in[minor]; ok {
			known = append(known, g)
		}
	}
	return known
}
