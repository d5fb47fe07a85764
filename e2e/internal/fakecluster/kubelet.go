package fakecluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// startPods starts the pods that are bound to a node.
func (c *Cluster) startPods() error {
	all, err := c.pods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if pod.Spec.NodeName == "" || pod.Status.Phase != corev1.PodPending && !stumbled(pod) || onStage(pod) || !c.due("start pod", key(pod)) || c.LooksAgain && len(pod.Annotations) == 0 {
			continue
		}
		if err := c.start(pod); err != nil {
			return fmt.Errorf("start pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

func (c *Cluster) start(pod *corev1.Pod) error {
	status := corev1.ContainerStatus{Name: pod.Spec.Containers[0].Name, ContainerID: "fake://" + string(pod.UID)}
	switch {
	case c.Mistakes.NeverStarts:
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
		if err := c.tell(pod, "FailedPrepareDynamicResources", "the driver does not answer"); err != nil {
			return err
		}
		return c.update(pods, pod)
	case c.Mistakes.EndsPods:
		pod.Status.Phase = corev1.PodRunning
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", StartedAt: metav1.Now()}
	default:
		if err := c.prepare(pod); err != nil && !c.Mistakes.StartsUnprepared {
			return c.tell(pod, "FailedPrepareDynamicResources", err.Error())
		}
		pod.Status.Phase = corev1.PodRunning
		if c.Mistakes.BreaksContainers || c.Stumbles && !stumbled(pod) {
			status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 128, Reason: startError, StartedAt: metav1.Unix(0, 0)}
			break
		}
		status.State.Running = &corev1.ContainerStateRunning{}
		if slices.Contains(pod.Spec.Containers[0].Args, "--once") {
			status.RestartCount = 1
			status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: metav1.Now()}
		}
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
	if c.Mistakes.RestartEndsPodsLater && c.restarts[restartable{"kubelet", pod.Spec.NodeName}] > 0 {
		if err := c.startAnew(pod.Spec.NodeName, "kubelet"); err != nil {
			return err
		}
	}
	return c.update(pods, pod)
}

// startError is the reason of a terminated container that the runtime could not
// start.
const startError = "StartError"

// stumbled reports whether the container of a pod could not be started.
func stumbled(pod *corev1.Pod) bool {
	all := pod.Status.ContainerStatuses
	return len(all) > 0 && all[0].State.Terminated != nil && all[0].State.Terminated.Reason == startError
}

// log returns the output of a pod's workload: the devices that the driver shows
// to the container. It is empty for some time after the pod starts.
func (c *Cluster) log(namespace, name, container string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, err := c.clientset.Tracker().Get(pods, namespace, name)
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
	if len(pod.Spec.ResourceClaims) > 0 && c.shows(pod, container) {
		claim, err := c.claimOf(pod)
		if err != nil {
			return nil, err
		}
		devices = c.named(pod, container, c.shown(claim))
	}
	for i, device := range devices {
		if device.Driver == c.TPU {
			if devices[i].Part, err = c.part(device.Device, pod.Spec.NodeName); err != nil {
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
	encoded, err := json.Marshal(report.Report{APIVersion: report.APIVersion, Kind: report.Kind, Env: variables})
	return append(encoded, '\n'), err
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

// shows reports whether a container sees the devices of its pod's claim.
// container is empty for the only regular container.
func (c *Cluster) shows(pod *corev1.Pod, container string) bool {
	for _, init := range pod.Spec.InitContainers {
		if init.Name == container {
			return len(init.Resources.Claims) > 0 && !c.Mistakes.HidesFromInit || c.Mistakes.ShowsAll
		}
	}
	return !c.Mistakes.RestartHides || pod.Status.ContainerStatuses[0].RestartCount == 0
}

// named returns the devices of the request that a container names. It returns
// all devices if the container names no request.
func (c *Cluster) named(pod *corev1.Pod, container string, devices []devenv.Device) []devenv.Device {
	i := slices.IndexFunc(pod.Spec.Containers, func(one corev1.Container) bool { return one.Name == container })
	if i < 0 || c.Mistakes.ShowsAllRequests {
		return devices
	}
	used := pod.Spec.Containers[i].Resources.Claims
	return slices.DeleteFunc(devices, func(d devenv.Device) bool {
		request, alternative, _ := strings.Cut(d.Request, "/")
		return !slices.ContainsFunc(used, func(u corev1.ResourceClaim) bool {
			return u.Request == "" || u.Request == request && (alternative == "" || !c.Mistakes.ShowsNoAlternatives)
		})
	})
}

// shown returns the devices that the driver shows to the container.
func (c *Cluster) shown(claim *resourceapi.ResourceClaim) []devenv.Device {
	results := slices.Clone(claim.Status.Allocation.Devices.Results)
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
	devices := []devenv.Device{}
	for _, r := range results {
		devices = append(devices, devenv.Device{
			Driver: r.Driver, Pool: r.Pool, Device: r.Device, Request: r.Request,
			ClaimNamespace: claim.Namespace, ClaimName: claim.Name, ClaimUID: string(claim.UID), ShareID: string(ptr.Deref(r.ShareID, "")),
		})
	}
	return devices
}
