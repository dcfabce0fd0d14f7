"""The local web app: from a file to a release one can defend, in a browser, on the owner's own machine.

It is a face of the library. Its one state is a policy file in a private working folder; every form is an edit of it.

| part | what it is |
|---|---|
| `serve` | starts it: the address, the private folder, the browser, the end |
| `guard`, `forms`, `folder` | what keeps strangers out, and files where they may be |
| `sitting`, `journal` | the private working folder; the states of the policy, with undo and redo |
| `policy_text`, `policy_edits` | the policy as text, and forms as edits of it |
| `desk` | all of that together, as the screens see it |
| `work` | processes beside the server: live figures, and the job that makes a release |
| `web`, `pages`, `events` | from a request to an answer |
| `screens` | one module for each screen, with a template of the same name |

To add a screen: write a module in `screens` that ends in `SCREEN = Screen(...)`, a template `templates/NAME.html`, and
name it in `screens/__init__.py`. `docs/app.md` has the rest.
"""
