package specs

import (
	"context"
	"maps"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
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

// forEachKind returns a spec for each kind of devices. The ID of a spec begins
// with the name of the kind. sentence is the part of the description after "A
// pod with <kind>".
func forEachKind(id, sentence string, proved proofs, needs []suite.Need, body func(ctx context.Context, e *suite.Env, k kind)) []suite.Spec {
	var specs []suite.Spec
	for _, k := range kinds {
		specs = append(specs, suite.Spec{
			ID:           string(k.Kind) + "-" + id,
			Sentence:     "A pod with " + k.what + " " + sentence,
			Profile:      driver,
			Features:     k.features,
			Judges:       suite.JudgesDriver,
			Kinds:        []subject.Kind{k.Kind},
			Nodes:        k.pods,
			Needs:        needs,
			Requirements: proved[k.Kind],
			Body:         func(ctx context.Context, e *suite.Env) { body(ctx, e, k) },
		})
	}
	return specs
}

// users are the pods that use one device.
type users struct {
	kind
	claim string
	pods  []string
	// containers are the containers of the pods, in the order of the pods.
	containers []suite.Container
	device     subject.Device
	allocated  resourceapi.DeviceAllocationResult
}

// start starts the pods that use one device and waits until they run. If the
// options contain a node, the first pod runs on it.
func (k kind) start(ctx context.Context, e *suite.Env, claim string, options suite.PodOptions) users {
	u := users{kind: k, claim: claim, device: k.device(e.Subject)}
	u.pods = e.StartUsers(ctx, claim, u.device, k.pods, options)
	for _, pod := range u.pods {
		e.Runs(ctx, pod)
		u.containers = append(u.containers, e.Container(ctx, pod))
	}
	u.allocated = e.Allocation(ctx, claim)
	return u
}

// node returns the node that specs disrupt.
func (u users) node() string { return u.containers[0].Node }

// keptRunning asserts that the pods kept running and the claim is unchanged.
func (u users) keptRunning(ctx context.Context, e *suite.Env, despite string) {
	for _, container := range u.containers {
		e.KeptRunning(ctx, container, despite)
	}
	u.keptDevices(ctx, e, despite)
}

// keptDevices asserts that the allocation of the claim is unchanged.
func (u users) keptDevices(ctx context.Context, e *suite.Env, despite string) {
	gomega.Expect(e.Allocation(ctx, u.claim)).To(gomega.Equal(u.allocated), "claim %s should keep its devices despite %s", u.claim, despite)
}

// areJoined starts another pod on the node that uses the claim too, and asserts
// that the driver's response for the claim does not change. If the claim has
// several pods, which must be on different nodes, the new pod has no claim.
func (u *users) areJoined(ctx context.Context, e *suite.Env) {
	if len(u.pods) > 1 {
		const pod = "beside"
		e.Join(ctx, pod, suite.PodOptions{Node: u.node()})
		e.Runs(ctx, pod)
		return
	}
	const pod = "joined"
	e.Join(ctx, pod, suite.PodOptions{Node: u.node()}, u.claim)
	u.pods = append(u.pods, pod)
	e.Runs(ctx, pod)
	e.AnsweredAlike(ctx, u.device.Driver, u.node(), u.claim, 1)
}

// areReplaced asserts that the claim is unprepared when its pods are removed,
// and that new pods, one of them on the same node, can use a device.
func (u users) areReplaced(ctx context.Context, e *suite.Env) {
	e.Removed(ctx, u.claim, u.pods...)
	for _, container := range u.containers {
		e.Prepared(ctx, u.device.Driver, container.Node, u.claim, false)
	}
	after := u.start(ctx, e, "after", suite.PodOptions{Node: u.node()})
	e.Removed(ctx, after.claim, after.pods...)
}
