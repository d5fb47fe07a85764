// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// Agent is the node agent of all nodes. It calls the drivers of the cluster.
type Agent struct{ cluster *Cluster }

// Agent returns the node agent.
func (c *Cluster) Agent() Agent { return Agent{c} }

// agentServices are the gRPC services of a driver.
var agentServices = []string{"v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth"}

// cdiDir is where the drivers write CDI files.
const cdiDir = "/var/run/cdi"

// PluginCall is a call of the node agent that has been answered.
type PluginCall struct {
	Driver, Service, Method string
	// Claims are the claims of the call.
	Claims []api.Claim
	// Parallel is set for calls at the same time, Number is the number of the
	// call in the request, from 0.
	Parallel bool
	Number   int
	Answer   *api.Answer
}

// registered returns the driver on a node, with the cluster locked, and a
// function that unlocks the cluster.
func (a Agent) registered(driver, node string) (*Driver, func(), error) {
	c := a.cluster
	c.mu.Lock()
	c.advance()
	if err := c.errStopped(node); err != nil {
		c.mu.Unlock()
		return nil, nil, fmt.Errorf("driver %s has %w with the kubelet", driver, api.ErrNotRegistered)
	}
	return c.driverOn(node), c.mu.Unlock, nil
}

// Registrations returns the registration of a driver.
func (a Agent) Registrations(_ context.Context, node, driver string) (api.Registrations, error) {
	_, unlock, err := a.registered(driver, node)
	if err != nil {
		return api.Registrations{}, nil
	}
	defer unlock()
	found := api.Registrations{Plugins: []api.Registration{{
		Socket: "/var/lib/kubelet/plugins_registry/" + driver + "-reg.sock", Type: "DRAPlugin", Name: driver,
		Endpoint: "/var/lib/kubelet/plugins/" + driver + "/dra.sock", Versions: slices.Clone(agentServices),
	}}}
	if change := a.cluster.Mistakes.Misregisters; change != nil {
		change(&found)
	}
	found.Plugins = slices.DeleteFunc(found.Plugins, func(r api.Registration) bool { return r.Name != driver })
	return found, nil
}

// Prepare calls NodePrepareResources of a driver.
func (a Agent) Prepare(_ context.Context, node string, request api.Calls) ([]api.Answer, error) {
	return a.call(calls.Prepare, node, request)
}

// Unprepare calls NodeUnprepareResources of a driver.
func (a Agent) Unprepare(_ context.Context, node string, request api.Calls) ([]api.Answer, error) {
	return a.call(calls.Unprepare, node, request)
}

func (a Agent) call(method, node string, request api.Calls) ([]api.Answer, error) {
	driver, unlock, err := a.registered(request.Driver, node)
	if err != nil {
		return nil, err
	}
	defer unlock()
	service := request.Service
	if service == "" {
		service = agentServices[0]
	}
	var answers []api.Answer
	for i, claims := range request.Calls {
		if service != agentServices[0] && method == calls.Unprepare && a.cluster.Mistakes.IgnoresOlderUnprepare {
			answers = append(answers, doneFor(service, claims))
			continue
		}
		if i > 0 && request.Parallel && method == calls.Unprepare {
			driver.remember(claims)
		}
		answer := driver.answer(request.Driver, method, claims, request.CancelAfter > 0)
		answer.Service = service
		if change := a.cluster.Mistakes.Misanswers; change != nil {
			change(&PluginCall{request.Driver, service, method, claims, request.Parallel, i, &answer})
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// answer answers a call. Every second call that is canceled is performed
// nevertheless.
func (d *Driver) answer(driver, method string, claims []api.Claim, isCanceled bool) api.Answer {
	mistakes := d.cluster.Mistakes
	if isCanceled {
		d.canceled++
		if mistakes.StaysBusy {
			d.busy = true
		}
		d.busyUnpreparing = d.busyUnpreparing || mistakes.StaysBusyUnpreparing && method == calls.Unprepare
		if d.canceled%2 == 0 {
			d.answer(driver, method, claims, false)
		}
		return api.Answer{Code: "Canceled", Message: "context canceled"}
	}
	if d.busy && method == calls.Prepare || d.busyUnpreparing && method == calls.Unprepare {
		return api.Answer{Code: "Aborted", Message: "another operation is in progress"}
	}
	answer := api.Answer{Code: api.CodeOK, Claims: map[string]api.ClaimAnswer{}}
	for _, claim := range claims {
		var one api.ClaimAnswer
		var err error
		if method == calls.Prepare {
			one.Devices, err = d.prepareFor(driver, claim)
		} else {
			err = d.unprepareFor(driver, claim)
		}
		if err != nil && method == calls.Prepare && mistakes.RollsBack {
			d.rollBack(driver, claims)
		}
		if err != nil && method == calls.Prepare && !d.cluster.RejectsClaims {
			// The helper for drivers in Kubernetes fails the whole call if it
			// cannot get a claim.
			return api.Answer{Code: "Unknown", Message: err.Error()}
		}
		if err != nil {
			one.Error = err.Error()
		}
		answer.Claims[claim.UID] = one
	}
	if d.cluster.RejectsTogether {
		rejectTogether(answer)
	}
	return answer
}

// doneFor is the answer of a driver that has succeeded for all claims of a call to unprepare
// them.
func doneFor(service string, claims []api.Claim) api.Answer {
	answer := api.Answer{Service: service, Code: api.CodeOK, Claims: map[string]api.ClaimAnswer{}}
	for _, claim := range claims {
		answer.Claims[claim.UID] = api.ClaimAnswer{}
	}
	return answer
}

// rollBack unprepares all claims of a call.
func (d *Driver) rollBack(driver string, claims []api.Claim) {
	for _, claim := range claims {
		_ = d.unprepareFor(driver, claim)
	}
}

// remember keeps the devices of claims that the driver is about to unprepare while it does
// so with others, if its next process has them again.
func (d *Driver) remember(claims []api.Claim) {
	if !d.cluster.Mistakes.RestartRevives {
		return
	}
	for _, claim := range claims {
		d.revived[types.UID(claim.UID)] = slices.Clone(d.devices[types.UID(claim.UID)])
	}
}

// rejectTogether replaces the answers for all claims by the error of one of them, if
// there is one.
func rejectTogether(answer api.Answer) {
	for _, failed := range answer.Claims {
		if failed.Error == "" {
			continue
		}
		for uid := range answer.Claims {
			answer.Claims[uid] = api.ClaimAnswer{Error: failed.Error}
		}
		return
	}
}

// Health reports all devices of a driver as healthy.
func (a Agent) Health(_ context.Context, node string, request api.HealthRequest) (api.HealthReport, error) {
	_, unlock, err := a.registered(request.Driver, node)
	if err != nil {
		return api.HealthReport{}, err
	}
	defer unlock()
	report := api.HealthReport{Service: agentServices[2]}
	published, err := a.cluster.slices()
	for _, slice := range published {
		// The slices of multi-host devices have no node.
		if slice.Spec.Driver != request.Driver || ptr.Deref(slice.Spec.NodeName, node) != node {
			continue
		}
		for _, device := range slice.Spec.Devices {
			report.Devices = append(report.Devices, api.DeviceHealth{Pool: slice.Spec.Pool.Name, Device: device.Name, Health: "HEALTHY"})
		}
	}
	if change := a.cluster.Mistakes.Misreports; change != nil {
		change(&report)
	}
	return report, err
}

// CDIFiles returns one file for each prepared claim.
func (a Agent) CDIFiles(_ context.Context, node string) ([]api.CDIFile, error) {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	d := c.driverOn(node)
	files := []api.CDIFile{}
	for _, uid := range slices.Sorted(maps.Keys(d.devices)) {
		if d.lost[uid] || c.WithoutCDI {
			continue
		}
		var names []string
		for _, held := range d.devices[uid] {
			names = append(names, held.CDIDevices...)
		}
		content := strings.Join(names, "\n")
		files = append(files, api.CDIFile{
			Path: cdiPath(uid), Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(content))), Devices: names,
		})
	}
	if change := c.Mistakes.Mislists; change != nil {
		files = change(files)
	}
	return files, nil
}

// cdiPath returns the path of the CDI file of a claim.
func cdiPath(uid types.UID) string { return fmt.Sprintf("%s/fake-%s.json", cdiDir, uid) }

// HideCDIFiles hides the files of claims.
func (a Agent) HideCDIFiles(_ context.Context, node string, files api.CDIFileVersions) error {
	var paths []string
	for _, file := range files.Files {
		paths = append(paths, file.Path)
	}
	return a.setLost(node, paths, true)
}

// RestoreCDIFiles restores the files of claims.
func (a Agent) RestoreCDIFiles(_ context.Context, node string, paths []string) error {
	return a.setLost(node, paths, false)
}

func (a Agent) setLost(node string, paths []string, lost bool) error {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.driverOn(node)
	for uid := range d.devices {
		if slices.Contains(paths, cdiPath(uid)) {
			d.lost[uid] = lost
		}
	}
	return nil
}

// KubeletClaims returns the claims that the kubelet has prepared.
func (a Agent) KubeletClaims(_ context.Context, node string) ([]api.KubeletClaim, error) {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	all := []api.KubeletClaim{}
	for u, held := range c.kubelets.stored {
		if u.node != node {
			continue
		}
		claim := api.KubeletClaim{Claim: api.Claim{Namespace: u.claim.Namespace, Name: u.claim.Name, UID: string(u.uid)}, Drivers: map[string][]api.Device{}}
		for _, device := range held {
			claim.Drivers[device.driver] = append(claim.Drivers[device.driver], device.Device)
		}
		all = append(all, claim)
	}
	return all, nil
}
