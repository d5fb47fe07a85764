// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// APIServerMistakes are the faults of the API server, also with quotas.
type APIServerMistakes struct {
	// KeepsStatus: the status of devices remains in a claim that is deallocated.
	KeepsStatus bool
	// StoresAnyStatus: the API server stores the status of devices that are not
	// allocated to the claim.
	StoresAnyStatus bool
	// ChangesClaims reports whether the API server lets the spec of a stored claim
	// be changed.
	ChangesClaims func(stored *resourceapi.ResourceClaim) bool
	// StoresAllParts reports whether the API server stores all parts of a claim or a
	// DeviceTaintRule that is written at an endpoint: create, update or status.
	StoresAllParts func(endpoint string) bool
	// IgnoresInAllocations removes from an allocation what the API server lets be
	// changed.
	IgnoresInAllocations func(*resourceapi.AllocationResult)
	// ReservesAnyClaim: the API server lets claims be reserved that are not allocated,
	// or are being deleted.
	ReservesAnyClaim bool
	// MiscountsGenerations returns the generation of an object of a kind with one that
	// is created, or updated with or without a change of its spec, given the
	// generation before.
	MiscountsGenerations func(before int64, changed bool) int64
	// MixesUpShares: the status of one share of a device overwrites that of the
	// claim's other shares.
	MixesUpShares bool
	// ReadsFirstAdminAccess: the API server looks for admin access in the first request of a
	// claim or template, and in the first result of the status of a claim, only.
	ReadsFirstAdminAccess bool
	// GrantsAdminAccessEachTime: the API server requires the label of the namespace for each
	// update of the status of a claim with admin access.
	GrantsAdminAccessEachTime bool
	// ChargesFirst: quotas count only the first subrequest.
	ChargesFirst bool
	// ChargesEach: quotas count all subrequests of a list for a class.
	ChargesEach bool
	// ChargesFirstRequest: quotas count the first request of a claim only.
	ChargesFirstRequest bool
	// ChargesOneForAll: quotas count one device for a request for all devices.
	ChargesOneForAll bool
	// ChargesClassesOnly: quotas for extended resources do not count claims.
	ChargesClassesOnly bool
	// ChargesExtendedTwice: quotas count extended resources that devices provide
	// for the pod and for its claim.
	ChargesExtendedTwice bool
	// ChargesNoExtended: quotas do not count any claim that is marked as one for the
	// extended resources of a pod.
	ChargesNoExtended bool
	// ChargesNoAdmins: quotas do not count requests with admin access.
	ChargesNoAdmins bool
	// MisjudgesAdminAccess decides whether the API server accepts admin access in
	// a claim, in its status (ResourceClaimStatus) or in a template, given the value
	// of the namespace's label, if it has it.
	MisjudgesAdminAccess func(kind, value string, labelled bool) bool
	// ForgetsPodClaims: the API server removes the generated claims of a pod from its status
	// if a status without them is written.
	ForgetsPodClaims bool
	// MisjudgesPodClaims decides whether the API server accepts a patch of a pod by an
	// endpoint, which is empty or resize, given whether it changes claims.
	MisjudgesPodClaims func(endpoint string, changes bool) bool
	// LosesTaintTimes: the API server does not set the time of new taints.
	LosesTaintTimes bool
	// ResetsTaintTimes: the API server sets the time of all taints in an update.
	ResetsTaintTimes bool
	// MistimesRules changes the taint of a DeviceTaintRule in an update. It has the
	// taint before the update, too.
	MistimesRules func(before resourceapi.DeviceTaint, taint *resourceapi.DeviceTaint)
	// Misstores changes an object that is written as JSON before the API server
	// stores it, or returns it in a dry run.
	Misstores func(object map[string]any)
	// Misconverts changes an object that is written or read as JSON in a version
	// of the API.
	Misconverts func(version string, object map[string]any)
	// Misauthorizes changes what the API server knows about a change of the status
	// of a claim when it decides whether the user may make it.
	Misauthorizes func(*StatusWrite)
	// MisauthorizesNodes decides whether the API server allows a request of a kubelet, given
	// whether it should.
	MisauthorizesNodes func(r *NodeRequest, allowed bool) bool
	// MisadmitsNodes decides whether the API server admits a write of a kubelet, given whether
	// it should.
	MisadmitsNodes func(w *NodeWrite, admitted bool) bool
	// DropsInUpdates removes fields of an object that is updated, also as a dry run.
	DropsInUpdates func(runtime.Object)
	// IgnoresFields: the API server ignores field selectors for the node and the
	// pool of ResourceSlices.
	IgnoresFields bool
}

func (m APIServerMistakes) addTo(all *Mistakes) { all.APIServerMistakes = m }
