package gates

import (
	"slices"
	"strings"
)

// Stage is the maturity of a feature gate in one release, with the names that Kubernetes prints.
type Stage string

// The stages that supported releases have DRA gates in.
const (
	Alpha Stage = "ALPHA"
	Beta  Stage = "BETA"
	GA    Stage = "GA"
)

// state is what one release says about a feature gate.
type state struct {
	stage  Stage
	on     bool // the default
	locked bool // Kubernetes refuses to start if the gate is set to anything but its default
	// compat is the --min-compatibility-version from which the default is true although on is false. What components
	// default that flag to is the minor release before their own (component-base/compatibility/version.go), so that a
	// gate with its own release here is off unless a cluster raises the flag. Ours do not.
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
	// in is the state in each release that has the gate (defaultVersionedKubernetesFeatureGates in
	// pkg/features/kube_features.go).
	in map[string]state
	// needs are the gates without which this one may not be on (defaultKubernetesFeatureGateDependencies, same file).
	// Kubernetes refuses to start otherwise since 1.35; in 1.34 the same gates were without effect alone.
	needs []string
	// serves are the APIs that the gate's components watch and that the release does not serve by default. A scheduler or
	// a controller whose informer never syncs stands still, so that such a gate comes with the API or not at all.
	serves map[string]api
}

// api is an API group version in the form that --runtime-config takes, and what is used of it.
type api struct {
	groupVersion string
	resources    []string
}

const dra = "DynamicResourceAllocation"

// table holds every DRA gate (see isDRA), the gates that those need, and ResourceHealthStatus, which needs DRA. In the
// order of their names. TestTable compares it to the sources of each release.
var table = []gate{
	{
		name:  "DRAAdminAccess",
		in:    map[string]state{"1.34": beta, "1.35": beta, "1.36": locked, "1.37": locked},
		needs: []string{dra},
	}, {
		name:  "DRAConsumableCapacity",
		in:    map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
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
		// DeviceTaintRule is a v1 API in 1.37 and needs nothing that is not served by default.
		name:  "DRADeviceTaintRules",
		in:    map[string]state{"1.35": alpha, "1.36": betaOff, "1.37": ga},
		needs: []string{"DRADeviceTaints"},
		serves: map[string]api{
			"1.35": {"resource.k8s.io/v1alpha3", []string{"devicetaintrules"}},
			"1.36": {"resource.k8s.io/v1beta2", []string{"devicetaintrules"}},
		},
	}, {
		// In 1.34 this gate covered the rules as well.
		name:   "DRADeviceTaints",
		in:     map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": ga},
		needs:  []string{dra},
		serves: map[string]api{"1.34": {"resource.k8s.io/v1alpha3", []string{"devicetaintrules"}}},
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
		in:    map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
		needs: []string{dra},
	}, {
		name:  "DRAPartitionableDevicesType",
		in:    map[string]state{"1.37": alpha},
		needs: []string{dra, "DRAPartitionableDevices", "DRAResourcePoolStatus"},
	}, {
		name:  "DRAPrioritizedList",
		in:    map[string]state{"1.34": beta, "1.35": beta, "1.36": ga, "1.37": locked},
		needs: []string{dra},
	}, {
		// It has no effect without DRA, but needs it only softly: it was on by default when DRA was not.
		name: "DRAResourceClaimDeviceStatus",
		in:   map[string]state{"1.34": beta, "1.35": beta, "1.36": beta, "1.37": locked},
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
		in:   map[string]state{"1.34": ga, "1.35": locked, "1.36": locked, "1.37": locked},
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
		in:    map[string]state{"1.34": alpha, "1.35": alpha, "1.36": beta, "1.37": beta},
		needs: []string{dra},
	},
}

// isDRA reports whether the gate is one of DRA's own, which is what the sets alpha and off are about.
func isDRA(name string) bool {
	return name == dra || strings.HasPrefix(name, "DRA")
}

// find returns the gate's row, if it is in the table.
func find(name string) (gate, bool) {
	i := slices.IndexFunc(table, func(g gate) bool { return g.name == name })
	if i < 0 {
		return gate{}, false
	}
	return table[i], true
}

// gatesOf returns the rows that the minor release has.
func gatesOf(minor string) []gate {
	var known []gate
	for _, g := range table {
		if _, ok := g.in[minor]; ok {
			known = append(known, g)
		}
	}
	return known
}
