package driver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// kind is a kind of devices. The same specs apply to all kinds.
type kind struct {
	subject.Kind
	// what is the name of the kind in the descriptions of specs.
	what     string
	features []features.Feature
	// pods is the number of pods that use one device, each on another node.
	pods   int
	device func(subject.Subject) subject.Device
}

// kinds are all kinds of devices.
var kinds = []kind{
	{
		Kind: subject.KindExclusive, what: "an exclusive device", pods: 1,
		features: []features.Feature{features.Core},
		device:   func(s subject.Subject) subject.Device { return s.Exclusive.Device },
	},
	{
		Kind: subject.KindMultiHost, what: "a multi-host device", pods: 2,
		features: []features.Feature{features.Core, features.Partitions},
		device:   func(s subject.Subject) subject.Device { return s.MultiHost.Pair },
	},
	{
		Kind: subject.KindShared, what: "a share of a device", pods: 1,
		features: []features.Feature{features.Core, features.SharedDevices},
		device:   func(s subject.Subject) subject.Device { return s.Shared.Share },
	},
}

// proofs are the requirements that the specs prove, by kind.
type proofs map[subject.Kind][]string

// ofAllKinds returns requirements that the specs of every kind prove.
func ofAllKinds(requirements ...string) proofs {
	p := proofs{}
	for _, k := range kinds {
		p[k.Kind] = requirements
	}
	return p
}

// and adds requirements that the specs of some kinds prove.
func (p proofs) and(more proofs) proofs {
	all := maps.Clone(p)
	for kind, requirements := range more {
		all[kind] = slices.Concat(all[kind], requirements)
	}
	return all
}

// forEachKind returns a spec for each of the IDs, which begin with the name of a
// kind of devices. sentence is the part of the description after "A
// pod with <kind>".
func forEachKind(ids []string, sentence string, proved proofs, needs []env.Need, body func(ctx context.Context, e *env.Env, k kind)) []suite.Spec {
	var specs []suite.Spec
	for _, id := range ids {
		k := kindOfID(id)
		specs = append(specs, suite.Spec{
			ID:           id,
			Description:  "A pod with " + k.what + " " + sentence,
			Profile:      profile,
			Features:     k.features,
			Component:    env.Driver,
			Kinds:        []subject.Kind{k.Kind},
			MinNodes:     k.pods,
			Needs:        needs,
			Requirements: proved[k.Kind],
			Body:         func(ctx context.Context, e *env.Env) { body(ctx, e, k) },
		})
	}
	return specs
}

// kindOfID returns the kind of devices with whose name the ID of a spec begins.
func kindOfID(id string) kind {
	for _, k := range kinds {
		if strings.HasPrefix(id, string(k.Kind)+"-") {
			return k
		}
	}
	panic("no kind of devices for the spec " + id)
}

// users are the pods that use one device.
type users struct {
	kind
	claim string
	pods  []string
	// containers are the containers of the pods, in the order of the pods.
	containers []pods.Container
	device     subject.Device
	allocated  resourceapi.DeviceAllocationResult
}

// start starts the pods that use one device and waits until they run. If the
// options contain a node, the first pod runs on it.
func (k kind) start(ctx context.Context, e *env.Env, claim string, options pods.Options) users {
	u := users{kind: k, claim: claim, device: k.device(e.Subject)}
	u.pods = pods.CreateSharingClaim(ctx, e, claim, u.device, k.pods, options)
	for _, pod := range u.pods {
		pods.WaitForRunning(ctx, e, pod)
		u.containers = append(u.containers, pods.GetContainer(ctx, e, pod))
	}
	u.allocated = claims.GetAllocation(ctx, e, claim)
	return u
}

// node returns the node that specs disrupt.
func (u users) node() string { return u.containers[0].Node }

// keptRunning asserts that the pods kept running and the claim is unchanged.
func (u users) keptRunning(ctx context.Context, e *env.Env, despite string) {
	for _, container := range u.containers {
		pods.ExpectNotRestarted(ctx, e, container, despite)
	}
	u.keptDevices(ctx, e, despite)
}

// keptDevices asserts that the allocation of the claim is unchanged.
func (u users) keptDevices(ctx context.Context, e *env.Env, despite string) {
	gomega.Expect(claims.GetAllocation(ctx, e, u.claim)).To(gomega.Equal(u.allocated), "claim %s should keep its devices despite %s", u.claim, despite)
}

// areJoined starts another pod on the node that uses the claim too, and asserts
// that the driver's response for the claim does not change. If the claim has
// several pods, which must be on different nodes, the new pod has no claim.
func (u *users) areJoined(ctx context.Context, e *env.Env) {
	if len(u.pods) > 1 {
		const pod = "beside"
		pods.CreateUsingClaims(ctx, e, pod, pods.Options{Node: u.node()})
		pods.WaitForRunning(ctx, e, pod)
		return
	}
	const pod = "joined"
	pods.CreateUsingClaims(ctx, e, pod, pods.Options{Node: u.node()}, u.claim)
	u.pods = append(u.pods, pod)
	pods.WaitForRunning(ctx, e, pod)
	drivers.ExpectSamePrepareResults(ctx, e, u.device.Driver, u.node(), u.claim, 1)
}

// areReplaced asserts that the claim is unprepared when its pods are removed,
// and that new pods, one of them on the same node, can use a device.
func (u users) areReplaced(ctx context.Context, e *env.Env) {
	pods.DeleteWithClaim(ctx, e, u.claim, u.pods...)
	for _, container := range u.containers {
		drivers.WaitForUnprepared(ctx, e, u.device.Driver, container.Node, u.claim)
	}
	after := u.start(ctx, e, "after", pods.Options{Node: u.node()})
	pods.DeleteWithClaim(ctx, e, after.claim, after.pods...)
}
