// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/topology"
)

// log returns the output of a pod's workload: the devices that the driver shows
// to the container. It is empty for some time after the pod starts.
func (c *Cluster) log(namespace, name, container string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, err := c.tracker.Get(pods, namespace, name)
	if err != nil {
		return nil, err
	}
	pod := o.(*corev1.Pod)
	if pod.Status.Phase == corev1.PodPending {
		return nil, fmt.Errorf("container %q in pod %q is waiting to start", pod.Spec.Containers[0].Name, name)
	}
	if !c.due("print log of pod", key(pod)) {
		return nil, nil
	}
	var devices []devenv.Device
	visible, err := c.visibleClaims(pod)
	if err != nil {
		return nil, err
	}
	for _, claim := range visible {
		switch {
		case isExtended(pod, claim):
			devices = append(devices, c.mappedTo(pod, container, c.shownDevices(pod, claim))...)
		case c.seesDevices(pod, container):
			devices = append(devices, c.requestedBy(pod, container, c.shownDevices(pod, claim))...)
		}
	}
	for i, device := range devices {
		if device.Driver == c.TPU {
			if devices[i].Part, err = c.partOf(device.Device, pod.Spec.NodeName); err != nil {
				return nil, err
			}
		}
	}
	variables, err := environment(devices)
	if err != nil {
		return nil, err
	}
	if c.Mistakes.ShowsNonsense {
		variables = map[string]string{devenv.Prefix + "X": "nonsense"}
	}
	files, err := c.metadata(pod, container)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(report.Report{APIVersion: report.APIVersion, Kind: report.Kind, Env: variables, Metadata: files})
	return append(encoded, '\n'), err
}

// visibleClaims returns the claims whose devices the driver shows to the
// containers of a pod.
func (c *Cluster) visibleClaims(pod *corev1.Pod) ([]*resourceapi.ResourceClaim, error) {
	uses := c.usesOf(pod)
	if len(uses) == 0 && c.Mistakes.ShowsWithoutClaim || len(uses) > 0 && c.Mistakes.ShowsNeighbours {
		all, err := c.claims()
		return slices.DeleteFunc(all, func(claim *resourceapi.ResourceClaim) bool { return claim.Status.Allocation == nil }), err
	}
	var all []*resourceapi.ResourceClaim
	for _, u := range uses {
		if namesake, ok := c.kubelets.namesakes[u]; ok {
			u = namesake
		}
		claim, err := c.claim(u.claim)
		if err != nil {
			return nil, err
		}
		if c.Mistakes.KeepsDevices && claim.Status.Allocation != nil {
			claim = c.withFirstDevices(u, claim)
		}
		all = append(all, claim)
	}
	return all, nil
}

// withFirstDevices returns a claim with the devices that it had when a container first saw them.
func (c *Cluster) withFirstDevices(u use, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	if _, ok := c.kubelets.shown[u]; !ok {
		c.kubelets.shown[u] = slices.Clone(claim.Status.Allocation.Devices.Results)
	}
	claim = claim.DeepCopy()
	claim.Status.Allocation.Devices.Results = slices.Clone(c.kubelets.shown[u])
	return claim
}

// environment returns the environment variables of a container with devices.
func environment(devices []devenv.Device) (map[string]string, error) {
	all := map[string]string{}
	for _, device := range devices {
		variable, err := device.Variable()
		if err != nil {
			return nil, err
		}
		name, value, _ := strings.Cut(variable, "=")
		all[name] = value
	}
	return all, nil
}

// seesDevices reports whether a container sees the devices of its pod's claim.
// container is empty for the only regular container.
func (c *Cluster) seesDevices(pod *corev1.Pod, container string) bool {
	for _, init := range pod.Spec.InitContainers {
		if init.Name == container {
			isHidden := c.Mistakes.HidesFromInit || c.Mistakes.HidesFromSidecars && init.RestartPolicy != nil
			return len(init.Resources.Claims) > 0 && !isHidden || c.Mistakes.ShowsAll
		}
	}
	if c.Mistakes.KubeletLosesDevices && c.restarts[component{"kubelet", pod.Spec.NodeName}] > 0 {
		return false
	}
	return !c.Mistakes.RestartHides || pod.Status.ContainerStatuses[0].RestartCount == 0
}

// mappedTo returns the devices for extended resources that a container uses.
func (c *Cluster) mappedTo(pod *corev1.Pod, container string, devices []devenv.Device) []devenv.Device {
	isInit := slices.ContainsFunc(pod.Spec.InitContainers, func(one corev1.Container) bool { return one.Name == container })
	hidden := isInit && c.Mistakes.HidesFromInit || c.Mistakes.ShowsClaimsOnly && len(pod.Spec.ResourceClaims) > 0
	return slices.DeleteFunc(devices, func(d devenv.Device) bool {
		return hidden || !c.Mistakes.ShowsAllRequests && !usesExtended(pod, container, d.Request) || c.Mistakes.ShowsFirstMapping && d.Request != firstExtended(pod, container)
	})
}

// shownDevices returns the devices of a claim that the driver shows to a pod.
func (c *Cluster) shownDevices(pod *corev1.Pod, claim *resourceapi.ResourceClaim) []devenv.Device {
	results := claim.Status.Allocation.Devices.Results
	last := len(results) - 1
	switch {
	case c.Mistakes.ShowsAnother:
		results[last].Device = "gpu-0-mig-1g-5gb-6"
	case c.Mistakes.ShowsTooFew:
		results = results[:last]
	case c.Mistakes.ShowsTooMany:
		more := results[last]
		more.Device = "gpu-0-mig-1g-5gb-6"
		results = append(results, more)
	}
	if c.Mistakes.HidesFromAdmins {
		results = slices.DeleteFunc(results, func(r resourceapi.DeviceRequestAllocationResult) bool { return ptr.Deref(r.AdminAccess, false) })
	}
	if most := c.Mistakes.ShowsAtMost; most > 0 {
		results = results[:min(most, len(results))]
	}
	if c.Mistakes.RestartKeepsFirst && c.kubelets.restarts[pod.UID] > 0 {
		results = results[:1]
	}
	devices := []devenv.Device{}
	for i, r := range results {
		configs := c.configsOf(claim, r)
		if i > 0 && c.Mistakes.ConfiguresFirst {
			configs = nil
		}
		configs = c.driverOn(pod.Spec.NodeName).rememberConfigs(r.Device, configs)
		devices = append(devices, devenv.Device{
			Driver: r.Driver, Pool: r.Pool, Device: r.Device, Request: r.Request,
			ClaimNamespace: claim.Namespace, ClaimName: claim.Name, ClaimUID: string(claim.UID), Configs: configs,
		})
	}
	return devices
}

// configsOf returns the parameters that a driver applies to an allocated device.
func (c *Cluster) configsOf(claim *resourceapi.ResourceClaim, result resourceapi.DeviceRequestAllocationResult) []devenv.Config {
	all := c.readConfigs(claim.Status.Allocation.Devices.Config, result.Driver)
	if c.Mistakes.ReadsClasses {
		all = c.configsOfClasses(claim, all)
	}
	switch {
	case c.Mistakes.MixesUpConfigs:
	case c.Mistakes.ConfiguresByPrefix:
		all = slices.DeleteFunc(slices.Clone(all), func(config resourceapi.DeviceAllocationConfiguration) bool {
			return !namesPrefix(config, result.Request)
		})
	case c.Mistakes.RestartUnconfigures && c.restarts[component{"driver", result.Pool}] > 0:
		return nil
	default:
		all = resourceclaim.ConfigForResult(all, result)
	}
	var configs []devenv.Config
	for _, config := range all {
		if c.Mistakes.StopsAtOtherConfigs && config.Opaque.Driver != result.Driver {
			break
		}
		named := slices.Contains(config.Requests, result.Request) || !c.Mistakes.NeedsNamedRequests
		if c.Mistakes.IgnoresSubrequests && len(config.Requests) > 0 {
			named = slices.Contains(config.Requests, resourceclaim.BaseRequestRef(result.Request))
		}
		if config.Opaque != nil && config.Opaque.Driver == result.Driver && config.Source != c.Mistakes.IgnoresConfigs && named {
			parameters := config.Opaque.Parameters.Raw
			if c.Mistakes.StripsQuotes {
				parameters = bytes.ReplaceAll(parameters, []byte(`\"`), nil)
			}
			configs = append(configs, devenv.Config{Source: string(config.Source), Parameters: parameters})
		}
	}
	return configs
}

// readConfigs returns the parameters of an allocation as a driver reads them.
func (c *Cluster) readConfigs(all []resourceapi.DeviceAllocationConfiguration, driver string) []resourceapi.DeviceAllocationConfiguration {
	switch {
	case c.Mistakes.KeepsLastConfigs:
		var last []resourceapi.DeviceAllocationConfiguration
		for _, config := range all {
			if config.Opaque.Driver == driver {
				last = []resourceapi.DeviceAllocationConfiguration{config}
			}
		}
		return last
	case c.Mistakes.PrefersClaims:
		ofClaim := slices.DeleteFunc(slices.Clone(all), func(config resourceapi.DeviceAllocationConfiguration) bool {
			return config.Source == resourceapi.AllocationConfigSourceClass
		})
		if len(ofClaim) > 0 {
			return ofClaim
		}
	case c.Mistakes.ReadsFirstNames:
		all = slices.Clone(all)
		for i := range all {
			all[i].Requests = all[i].Requests[:min(1, len(all[i].Requests))]
		}
	}
	return all
}

// configsOfClasses replaces the parameters of DeviceClasses in an allocation by those that the
// classes of its claim have now.
func (c *Cluster) configsOfClasses(claim *resourceapi.ResourceClaim, all []resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration {
	all = slices.DeleteFunc(slices.Clone(all), func(config resourceapi.DeviceAllocationConfiguration) bool {
		return config.Source == resourceapi.AllocationConfigSourceClass
	})
	for _, request := range claim.Spec.Devices.Requests {
		o, err := c.tracker.Get(classesOf, "", request.Exactly.DeviceClassName)
		if err != nil {
			continue
		}
		for _, config := range o.(*resourceapi.DeviceClass).Spec.Config {
			all = append(all, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClass, Requests: []string{request.Name}, DeviceConfiguration: config.DeviceConfiguration,
			})
		}
	}
	return all
}

// namesPrefix reports whether parameters are for all requests, or for one whose name
// another one begins with.
func namesPrefix(config resourceapi.DeviceAllocationConfiguration, request string) bool {
	return len(config.Requests) == 0 || slices.ContainsFunc(config.Requests, func(name string) bool { return strings.HasPrefix(request, name) })
}

// partOf returns the part of a multi-host device that is on a node, or nil if
// there is none.
func (c *Cluster) partOf(device, node string) (*devenv.Part, error) {
	described, err := topology.Load(multiHostTopology)
	if err != nil {
		return nil, err
	}
	for number := range described.Hosts() {
		of, ok := described.Host(number).Parts[device]
		if !ok || nodeName(number) != node && !c.Mistakes.ShowsSamePart {
			continue
		}
		part := &devenv.Part{Shape: of.Shape, Host: slices.Index(of.Hosts, number), Chips: of.Chips}
		if c.Mistakes.ShowsNumberInTopology {
			part.Host = number
		}
		for _, host := range of.Hosts {
			part.Hosts = append(part.Hosts, nodeName(host))
		}
		return part, nil
	}
	return nil, nil
}
