// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

// ContainerMistakes are the faults of containers that use devices. In other clusters, the
// driver, the kubelet or the container runtime is their cause.
type ContainerMistakes struct {
	// ShowsAnother: the container sees another device instead of the last
	// allocated one.
	ShowsAnother bool
	// ShowsTooFew: the container does not see the last device.
	ShowsTooFew bool
	// ShowsTooMany: the container sees one device too many.
	ShowsTooMany bool
	// ShowsAtMost is the number of devices of a claim, from the first one, that a
	// container sees at most. Zero means all.
	ShowsAtMost int
	// HidesFromAdmins: containers do not see devices to which their claim has admin
	// access.
	HidesFromAdmins bool
	// ShowsSamePart: every container of a multi-host device sees the part of
	// the first node.
	ShowsSamePart bool
	// ShowsNumberInTopology: a container of a multi-host device sees the number of its
	// node among all hosts of the topology instead of that among the nodes of the device.
	ShowsNumberInTopology bool
	// ShowsNonsense: the container cannot read its devices.
	ShowsNonsense bool
	// ShowsWithoutClaim: a container of a pod without a claim sees the devices
	// of all allocated claims.
	ShowsWithoutClaim bool
	// ShowsNeighbours: a container with a claim sees the devices of all
	// allocated claims.
	ShowsNeighbours bool
	// MixesUpMetadata: a container sees the device metadata files of all
	// containers of its pod.
	MixesUpMetadata bool
	// KeepsMetadata: a container sees the first device metadata file at each path, also
	// if it is of an earlier claim of the same name.
	KeepsMetadata bool
	// LeavesMetadata: a container also sees the device metadata files of earlier claims
	// of the same name.
	LeavesMetadata bool
	// Misdescribes changes the device metadata files of a container, by path.
	Misdescribes func(map[string]*MetadataFile)
	// EndsPods: containers terminate at once.
	EndsPods bool
	// BreaksContainers: containers fail to start with the CDI devices of the
	// driver.
	BreaksContainers bool
	// HidesFromInit: init containers do not see devices.
	HidesFromInit bool
	// ShowsAll: containers see devices of claims that they do not use.
	ShowsAll bool
	// ShowsAllRequests: containers that name a request see all devices of the
	// claim.
	ShowsAllRequests bool
	// ShowsFirstMapping: containers see the devices for the first of their extended resources
	// only.
	ShowsFirstMapping bool
	// ShowsClaimsOnly: containers of pods with claims do not see devices for extended resources.
	ShowsClaimsOnly bool
	// ComparesRequestsByPrefix: containers that name a request also see the devices
	// of requests whose names begin with this name.
	ComparesRequestsByPrefix bool
	// ComparesRequestsOnly: containers that name a request of a claim also see the devices
	// of requests with this name of other claims.
	ComparesRequestsOnly bool
	// MixesUpPodClaims: containers that name a claim of several see the devices of another
	// one.
	MixesUpPodClaims bool
	// UsesLastRequest: containers that name several requests of a claim see the devices of
	// the last one only.
	UsesLastRequest bool
	// IgnoresAllRequests: containers that name a request do not see the devices of the claim
	// that are for all of its requests.
	IgnoresAllRequests bool
	// HidesFromSidecars: init containers that keep running do not see devices.
	HidesFromSidecars bool
	// ShowsNoAlternatives: containers that name a request with subrequests do
	// not see its devices.
	ShowsNoAlternatives bool
	// RestartHides: a restarted container does not see devices.
	RestartHides bool
}

func (m ContainerMistakes) addTo(all *Mistakes) { all.ContainerMistakes = m }
