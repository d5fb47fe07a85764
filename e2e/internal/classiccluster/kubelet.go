// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/workload/report"
)

// KubeletMistakes are faults of the kubelets and of the driver's plugins.
type KubeletMistakes struct {
	// Hurries makes it start pods whose claims are not allocated.
	Hurries bool
	// IgnoresReservations makes it start pods whose claims are not reserved for them.
	IgnoresReservations bool
	// HidesDevices makes containers see no devices.
	HidesDevices bool
	// PreparesFirst makes containers see the devices of the first claim of their pod only.
	PreparesFirst bool
	// UnpreparesShared makes it unprepare a claim with the first pod that ends.
	UnpreparesShared bool
}

// workers are the names of the nodes with a kubelet.
var workers = []string{"worker-1", "worker-2"}

// variablePrefix is the prefix of the variables that show devices to containers.
const variablePrefix = "TEST_DEVICE_"

// addWorkers creates the nodes with a kubelet.
func (c *Cluster) addWorkers() {
	for _, name := range workers {
		c.objects[coreObjects+"/nodes/"+name] = object{
			"metadata": object{"name": name, "uid": name, "labels": object{"kubernetes.io/hostname": name}},
		}
	}
}

// startPods lets the kubelets act.
func (c *Cluster) startPods() {
	running := map[string]int{}
	for _, path := range c.all("pods") {
		pod := c.objects[path]
		node := text(pod, "spec", "nodeName")
		if !strings.HasPrefix(node, "worker-") {
			continue
		}
		if text(pod, "status", "phase") == "Running" {
			c.keepRunning(path, pod, running)
			continue
		}
		if why := c.notReady(pod); why != "" && !c.mistakes.Kubelet.Hurries {
			if text(pod, "status", "reported") == "" {
				setStatus(pod, object{"phase": "Pending", "reported": "yes"})
				c.report(pod, "Pod", "FailedPrepareDynamicResources", why)
			}
			continue
		}
		setStatus(pod, object{"phase": "Running", "containerStatuses": []any{object{
			"name": "workload", "containerID": "id", "state": object{"running": object{"startedAt": started}},
		}}})
	}
	for claim, users := range c.running {
		if running[claim] < users && c.mistakes.Kubelet.UnpreparesShared {
			c.unprepared[claim] = true
		}
	}
	c.running = running
}

// started is when containers start and end.
const started = "2026-01-01T00:00:00Z"

// keepRunning counts a pod that runs as a user of its claims, and restarts its container if
// that ends by itself. It fails to restart without the devices.
func (c *Cluster) keepRunning(path string, pod object, running map[string]int) {
	all, _ := c.claimsOf(pod)
	lacks := false
	for _, p := range all {
		running[p.path]++
		lacks = lacks || c.unprepared[p.path]
	}
	container, _ := list(pod, "spec", "containers")[0].(object)
	if lacks || !slices.Contains(list(container, "args"), any("--once")) {
		return
	}
	c.restarts[path]++
	setStatus(pod, object{"containerStatuses": []any{object{
		"name": "workload", "containerID": "id", "state": object{"running": object{"startedAt": started}},
		"restartCount": c.restarts[path], "lastState": object{"terminated": object{"startedAt": started, "finishedAt": started}},
	}}})
}

// notReady returns why a pod must not be started, or an empty string.
func (c *Cluster) notReady(pod object) string {
	all, found := c.claimsOf(pod)
	if !found {
		return "a claim does not exist"
	}
	for _, p := range all {
		if at(p.claim, "status", "allocation") == nil {
			return fmt.Sprintf("claim %s is not allocated", text(p.claim, "metadata", "name"))
		}
		if !isUser(pod, p.claim) && !c.mistakes.Kubelet.IgnoresReservations {
			return fmt.Sprintf("claim %s is not reserved for the pod", text(p.claim, "metadata", "name"))
		}
	}
	return ""
}

// log returns the log of the container of a pod.
func (c *Cluster) log(pod object) string {
	shown := report.Report{APIVersion: report.APIVersion, Kind: report.Kind, Env: map[string]string{}}
	all, _ := c.claimsOf(pod)
	for i, p := range all {
		if !c.mistakes.Kubelet.HidesDevices && (i == 0 || !c.mistakes.Kubelet.PreparesFirst) {
			shown.Env[fmt.Sprintf("%s%d", variablePrefix, i)] = poolOf(at(p.claim, "status", "allocation"))
		}
	}
	content, err := json.Marshal(shown)
	if err != nil {
		panic(fmt.Sprintf("in-memory cluster: %v", err)) // It consists of strings.
	}
	return string(content) + "\n"
}
