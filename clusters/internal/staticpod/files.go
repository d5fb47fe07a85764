// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

// The scripts of this package run with "sh -ec" on a control plane node. Their first argument is the folder that they
// work in, [Root] on a node. The second argument is the name of a component, such as kube-scheduler.

// Root is the first argument of scripts on a node.
const Root = "/"

// Locked is the start of scripts that change a node. It holds a lock on the node: a script continues after the process
// that started it has ended, and the next script must not run concurrently. Its first argument is the folder that it
// works in.
const Locked = `
cd "$1"
exec 9>run/draconform-change.lock
flock --timeout 120 9 || { echo 'another change of this node has been in progress for two minutes' >&2; exit 1; }
`

// files sets the paths of the manifest of a component. The manifest is in the kubelet's folder, or outside of it:
// "stopped" if the component was stopped, "parked" if a change is in progress or was interrupted. The two are distinct,
// because only a stopped component must stay stopped. Like kubeadm's, the files are readable only by their owner.
const files = `
umask 077
path=etc/kubernetes/manifests/$2.yaml
stopped=etc/kubernetes/draconform-stopped-$2.yaml
parked=etc/kubernetes/draconform-parked-$2.yaml
draft=etc/kubernetes/draconform-draft-$2-$$.yaml
`

// First line of the output of Read.
const (
	There   = "there"
	Stopped = "stopped"
	Parked  = "parked"
)

// Read is a script that prints the location of the manifest, and the manifest. A change can move the manifest while the
// script reads it. Read therefore checks the kubelet's folder a second time at the end.
const Read = `cd "$1"` + files + `
report() { text=$(cat "$2" 2>/dev/null) && echo "$1" && echo "$text"; }
report there "$path" || report stopped "$stopped" || report parked "$parked" || report there "$path" || {
  echo "there is no manifest of $2" >&2
  exit 1
}
`

// Stop is a script that stops a component until Start. If $3 is not empty, it replaces the manifest that Start
// restores.
const Stop = Locked + files + `
if [ -n "$3" ]; then
  printf %s "$3" >"$draft"
  mv "$draft" "$stopped"
elif [ -e "$path" ]; then mv "$path" "$stopped"
elif [ -e "$parked" ]; then mv "$parked" "$stopped"
fi
rm -f "$path" "$parked"
`

// Start is a script that starts a component that was stopped or whose change was interrupted.
const Start = Locked + files + `
for old in "$stopped" "$parked"; do
  [ -e "$path" ] || [ ! -e "$old" ] || mv "$old" "$path"
done
rm -f "$stopped" "$parked"
`
