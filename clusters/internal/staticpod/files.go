package staticpod

// Scripts of this package are for "sh -ec" on a control plane node. Their first argument is the folder that they work in,
// [Root] on a node, the second is the name of a component, such as kube-scheduler.

// Root is the first argument of scripts on a node.
const Root = "/"

// Locked is the start of scripts that change a node: one at a time, as a script goes on when whoever started it has ended,
// and the next one would come in between. Its first argument is the folder that it works in.
const Locked = `
cd "$1"
exec 9>run/draconform-change.lock
flock --timeout 120 9 || { echo 'another change of this node has been at work for two minutes' >&2; exit 1; }
`

// files are where the manifest of a component stands: in the kubelet's folder, or out of it because the component was
// stopped, or because its change is at work or was cut short. These two must not be taken for each other: nobody wants
// the second. Only its owner reads a manifest, as kubeadm has it.
const files = `
umask 077
path=etc/kubernetes/manifests/$2.yaml
stopped=etc/kubernetes/draconform-stopped-$2.yaml
parked=etc/kubernetes/draconform-parked-$2.yaml
draft=etc/kubernetes/draconform-draft-$2-$$.yaml
`

// What Read prints first.
const (
	There   = "there"
	Stopped = "stopped"
	Parked  = "parked"
)

// Read is a script that prints where the manifest stands, and the manifest. It moves only while it is read, so that the
// second look at the first place finds what the others missed.
const Read = `cd "$1"` + files + `
tell() { text=$(cat "$2" 2>/dev/null) && echo "$1" && echo "$text"; }
tell there "$path" || tell stopped "$stopped" || tell parked "$parked" || tell there "$path" || {
  echo "there is no manifest of $2" >&2
  exit 1
}
`

// Stop is a script that keeps a component from running until Start, with its own manifest or with $3 as the one to come
// back to.
const Stop = Locked + files + `
if [ -n "$3" ]; then
  printf %s "$3" >"$draft"
  mv "$draft" "$stopped"
elif [ -e "$path" ]; then mv "$path" "$stopped"
elif [ -e "$parked" ]; then mv "$parked" "$stopped"
fi
rm -f "$path" "$parked"
`

// Start is a script that has a component run again that was stopped, or whose change was cut short.
const Start = Locked + files + `
for old in "$stopped" "$parked"; do
  [ -e "$path" ] || [ ! -e "$old" ] || mv "$old" "$path"
done
rm -f "$stopped" "$parked"
`
