// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

// The directories of the kubelet in which a driver has its sockets.
const (
	pluginsDir  = "/var/lib/kubelet/plugins"
	registryDir = "/var/lib/kubelet/plugins_registry"
)

// clue is a reason to believe that a DaemonSet has the pods of a driver.
type clue struct {
	text string
	// weight is higher for better reasons. A DaemonSet needs minWeight.
	weight int
}

const minWeight = 4

// daemonSetGuess is the DaemonSet of the driver. It is nil if none seems to be.
type daemonSetGuess struct {
	*driverfile.DaemonSet
	set *appsv1.DaemonSet
	why string
}

// findDaemonSet returns the DaemonSet with the most clues.
func (d *discovery) findDaemonSet() daemonSetGuess {
	var best []daemonSetGuess
	most := 0
	for _, set := range d.DaemonSets {
		weight, texts := 0, []string{}
		for _, c := range d.clues(set) {
			weight += c.weight
			texts = append(texts, c.text)
		}
		if weight < minWeight || weight < most {
			continue
		}
		if weight > most {
			best, most = nil, weight
		}
		best = append(best, daemonSetGuess{d.describe(set), set, strings.Join(texts, ", ")})
	}
	switch {
	case len(d.DaemonSets) == 0:
		return daemonSetGuess{why: cmp.Or(d.NoDaemonSets, "no DaemonSets were read")}
	case len(best) == 0:
		return daemonSetGuess{why: fmt.Sprintf("none of %d DaemonSets mounts %s or names the driver", len(d.DaemonSets), pluginsDir)}
	case len(best) > 1:
		best[0].why += fmt.Sprintf(". The same is true for %s/%s", best[1].Namespace, best[1].Name)
	}
	return best[0]
}

// clues returns the reasons to believe that a DaemonSet has the driver's pods.
func (d *discovery) clues(set *appsv1.DaemonSet) []clue {
	var all []clue
	name := d.driver.Name
	spec := set.Spec.Template.Spec
	own := path.Join(pluginsDir, name)
	switch {
	case hasHostPath(spec, own):
		all = append(all, clue{"its pods mount " + own, 5})
	case hasHostPath(spec, pluginsDir) && hasHostPath(spec, registryDir):
		all = append(all, clue{"its pods mount the kubelet's folders of plugins", 2})
	case hasHostPath(spec, registryDir):
		all = append(all, clue{"its pods mount " + registryDir, 1})
	}
	if where := mentions(spec, name); where != "" {
		all = append(all, clue{where, 4})
	}
	if part := commonPart(name, set.Namespace+"-"+set.Name); part != "" {
		all = append(all, clue{fmt.Sprintf("its name has %q as the driver's has", part), 1})
	}
	if n := len(published.Nodes(d.driver.Devices)); n > 1 && int(set.Status.DesiredNumberScheduled) == n {
		all = append(all, clue{fmt.Sprintf("it has %d pods and the devices are on %d nodes", n, n), 1})
	}
	return all
}

// hasHostPath reports whether pods have a volume of a path of the node.
func hasHostPath(spec corev1.PodSpec, of string) bool {
	return slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.HostPath != nil && path.Clean(v.HostPath.Path) == of })
}

// mentions returns where the containers name a driver, or an empty string.
func mentions(spec corev1.PodSpec, driver string) string {
	for _, c := range spec.Containers {
		for _, arg := range slices.Concat(c.Command, c.Args) {
			if strings.Contains(arg, driver) {
				return fmt.Sprintf("container %s has the argument %s", c.Name, arg)
			}
		}
		for _, v := range c.Env {
			if strings.Contains(v.Value, driver) {
				return fmt.Sprintf("container %s has the variable %s=%s", c.Name, v.Name, v.Value)
			}
		}
	}
	return ""
}

// commonPart returns the longest part of a driver's name that is a part of
// another name. Parts that many names have do not count.
func commonPart(driver, name string) string {
	split := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == '.' || r == '-' })
	}
	others := append(split(name), "com", "io", "org", "net", "dev", "dra", "driver", "k8s", "example")
	own := len(split(name))
	longest := ""
	for _, part := range split(driver) {
		if i := slices.Index(others, part); i >= 0 && i < own && !slices.Contains(others[own:], part) && len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// describe returns the DaemonSet as in a driver file. The container is that
// which mounts the kubelet's folder, if it is not the first one.
func (d *discovery) describe(set *appsv1.DaemonSet) *driverfile.DaemonSet {
	described := &driverfile.DaemonSet{Namespace: cmp.Or(set.Namespace, corev1.NamespaceDefault), Name: set.Name}
	spec := set.Spec.Template.Spec
	folders := map[string]bool{}
	for _, v := range spec.Volumes {
		folders[v.Name] = v.HostPath != nil && strings.HasPrefix(path.Clean(v.HostPath.Path)+"/", pluginsDir+"/")
	}
	i := slices.IndexFunc(spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return folders[m.Name] })
	})
	if i > 0 {
		described.Container = spec.Containers[i].Name
	}
	return described
}

// metadataClue returns where a DaemonSet enables device metadata files
// (KEP-5304), or an empty string.
func metadataClue(set *appsv1.DaemonSet) string {
	if set == nil {
		return ""
	}
	for _, c := range set.Spec.Template.Spec.Containers {
		for _, arg := range slices.Concat(c.Command, c.Args) {
			plain := strings.ToLower(strings.ReplaceAll(arg, "-", ""))
			if strings.Contains(plain, "devicemetadata") && !strings.HasSuffix(plain, "=false") {
				return fmt.Sprintf("Container %s of the DaemonSet has the argument %s.", c.Name, arg)
			}
		}
	}
	return ""
}
